// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/smo.hpp"

#include <gtest/gtest.h>

#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

/// Two points at squared distance d2 with labels +1 and -1: the dual is max 2a - a^2 (1 - K), so a = min(C, 1 / (1 - K)).
struct TwoPoints {
  Matrix<float> kernel{"krossfold::test::kernel", 2, 2};
  Vector<int> label{"krossfold::test::label", 2};
  explicit TwoPoints(double k) {
    kernel(0, 1) = kernel(1, 0) = static_cast<float>(k - 1);
    label(0) = 0;
    label(1) = 1;
  }
};

svm::DualProblems<Device> solve(const TwoPoints& two, double c, Vector<svm::SmoProgress>& progress_host) {
  const Matrix<const float, Device> kernel = on_device<Device>(two.kernel);
  const Vector<const int, Device> label = on_device<Device>(two.label);
  const auto duals = svm::make_problems<Device>(Device(), kernel, label, 2);
  const Vector<svm::SmoProgress, Device> progress("krossfold::test::progress", 2);
  svm::find_freedom(Device(), duals, c);
  svm::smo(Device(), duals, progress, {c, 1e-10, 1000});
  Kokkos::deep_copy(progress_host, progress);
  return duals;
}

TEST(Smo, finds_the_known_solution_of_two_points) {
  const TwoPoints two(0.25);
  Vector<svm::SmoProgress> progress("krossfold::test::progress_host", 2);
  const auto beta = on_host(solve(two, 100.0, progress).beta);
  for (int p = 0; p < 2; ++p) {
    EXPECT_EQ(progress(p).converged, 1);
    EXPECT_EQ(progress(p).iterations, 1);
    EXPECT_NEAR(beta(p, p), 1 / 0.75, 1e-7);
    EXPECT_EQ(beta(p, 1 - p), -beta(p, p));
  }
}

TEST(Smo, stops_exactly_at_the_bound) {
  const TwoPoints two(0.25);
  Vector<svm::SmoProgress> progress("krossfold::test::progress_host", 2);
  const auto duals = solve(two, 0.3, progress);
  const auto beta = on_host(duals.beta);
  EXPECT_EQ(beta(0, 0), 0.3);
  EXPECT_EQ(beta(0, 1), -0.3);
  EXPECT_EQ(progress(0).converged, 1);
  const auto freedom = on_host(duals.freedom);
  EXPECT_EQ(freedom(0, 0), svm::can_shrink);
  EXPECT_EQ(freedom(0, 1), svm::can_grow);
}

TEST(Smo, keeps_the_invariants_of_the_dual) {
  const auto set = test::some_digits(300, {1, 7, 9});
  const auto kernel = test::make_kernel(set, 0.01);
  const auto duals = svm::make_problems<Device>(Device(), kernel.minus_one, kernel.label, 3);
  const Vector<svm::SmoProgress, Device> progress("krossfold::test::progress", 3);
  const double c = 5;
  svm::find_freedom(Device(), duals, c);
  svm::smo(Device(), duals, progress, {c, 1e-4, 200});
  const auto beta = on_host(duals.beta), gradient = on_host(duals.gradient);
  const auto freedom = on_host(duals.freedom);
  const int n = set.size();
  for (int p = 0; p < 3; ++p) {
    double sum = 0, mass = 0;
    for (int i = 0; i < n; ++i) {
      const double y = set.label(i) == p ? 1 : -1, alpha = y * beta(p, i);
      ASSERT_GE(alpha, 0.0);
      ASSERT_LE(alpha, c);
      ASSERT_EQ((freedom(p, i) & svm::can_grow) != 0, y > 0 ? alpha < c : alpha > 0);
      ASSERT_EQ((freedom(p, i) & svm::can_shrink) != 0, y > 0 ? alpha > 0 : alpha < c);
      sum += beta(p, i);
      mass += alpha;
      double expected = y;
      for (int j = 0; j < n; ++j) expected -= kernel.exact[static_cast<std::size_t>(i) * n + j] * beta(p, j);
      ASSERT_NEAR(gradient(p, i), expected, 1e-5) << "problem " << p << " sample " << i;
    }
    EXPECT_NEAR(sum, 0, 1e-12 * mass);
  }
}

TEST(Smo, in_many_calls_gives_the_bits_of_one_call) {
  const auto set = test::some_digits(250, {3, 5, 8});
  const auto kernel = test::make_kernel(set, 0.02);
  std::vector<std::vector<double>> found;
  for (const int steps : {1000, 7}) {
    const auto duals = svm::make_problems<Device>(Device(), kernel.minus_one, kernel.label, 3);
    const Vector<svm::SmoProgress, Device> progress("krossfold::test::progress", 3);
    svm::find_freedom(Device(), duals, 10.0);
    for (int done = 0; done < 1000 + steps; done += steps) svm::smo(Device(), duals, progress, {10.0, 1e-3, steps});
    const auto beta = on_host(duals.beta);
    found.emplace_back(beta.data(), beta.data() + beta.size());
    const auto ended = on_host(progress);
    for (int p = 0; p < 3; ++p) EXPECT_EQ(ended(p).converged, 1);
  }
  EXPECT_EQ(found[0], found[1]);
}

}  // namespace
}  // namespace krossfold
