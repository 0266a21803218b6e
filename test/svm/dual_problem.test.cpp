// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/dual_problem.hpp"

#include <gtest/gtest.h>

#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

struct Solved {
  data::Dataset set = test::some_digits(200, {0, 4, 6});
  test::KernelPair kernel;
  svm::DualProblems<Device> duals;
  explicit Solved(double c) : kernel(test::make_kernel(set, 0.003)) {
    duals = svm::make_problems<Device>(Device(), test::one_vs_rest(kernel.label, 3));
    svm::WholeKernel<Device> rows(Device(), kernel.minus_one);
    svm::SolveParams params;
    params.c = c;
    for (const auto& progress : test::solve_in_waves(duals, rows, 3, params)) EXPECT_TRUE(progress.converged);
  }
};

TEST(MakeProblems, start_at_zero_with_the_gradient_y) {
  const std::vector<std::vector<int>> y{{1, -1, 0, 1}, {0, 0, -1, -1}};
  const auto duals = svm::make_problems<Device>(Device(), test::signs_of(y));
  ASSERT_EQ(duals.problems(), 2);
  ASSERT_EQ(duals.samples(), 4);
  const test::HostState state(duals);
  EXPECT_EQ(state.beta, std::vector<double>(8, 0.0));
  EXPECT_EQ(state.gradient, (std::vector<double>{1, -1, 0, 1, 0, 0, -1, -1}));
}

TEST(Freedom, of_a_sample_that_is_not_in_the_problem_is_none) {
  EXPECT_EQ(svm::freedom_of(0, 0), 0);
  EXPECT_EQ(svm::freedom_of(0, 2), svm::can_grow);
  EXPECT_EQ(svm::freedom_of(2, 2), svm::can_shrink);
  EXPECT_EQ(svm::freedom_of(1, 2), svm::can_grow | svm::can_shrink);
  EXPECT_EQ(svm::freedom_of(0, -2), svm::can_shrink);
  EXPECT_EQ(svm::freedom_of(-2, -2), svm::can_grow);
}

TEST(ScaleTo, keeps_bounds_feasibility_and_gradient) {
  const double before = 0.05, after = 0.2;
  const Solved solved(before);
  const auto old_host = on_host(solved.duals.beta);  // on a CPU this is the same memory: copy it
  std::vector<double> old(old_host.data(), old_host.data() + old_host.size());
  const Flags<int> follow("krossfold::test::follow", 3);
  follow(0) = follow(1) = 1;  // problem 2 stays
  svm::scale_to<Device>(Device(), solved.duals, before, after, follow);
  const auto beta = on_host(solved.duals.beta), gradient = on_host(solved.duals.gradient);
  const int n = solved.set.size();
  int bounded = 0;
  for (int p = 0; p < 3; ++p) {
    for (int i = 0; i < n; ++i) {
      const double was = old[static_cast<std::size_t>(p) * n + i], y = solved.set.label(i) == p ? 1 : -1;
      if (p == 2) {
        ASSERT_EQ(beta(p, i), was);
        continue;
      }
      if (std::abs(was) == before) {
        ASSERT_EQ(beta(p, i), y * after);
        ++bounded;
      } else {
        ASSERT_NEAR(beta(p, i), was * 4, 1e-15);
      }
      double expected = y;
      for (int j = 0; j < n; ++j) expected -= solved.kernel.exact[static_cast<std::size_t>(i) * n + j] * beta(p, j);
      ASSERT_NEAR(gradient(p, i), expected, 1e-5);
    }
  }
  EXPECT_GT(bounded, 0) << "the case does not test bounded samples";
}

TEST(Summarise, agrees_with_the_definitions) {
  const double c = 0.05;
  const Solved solved(c);
  const Flags<svm::FitSummary> fit("krossfold::test::summary", 3);
  svm::summarise(Device(), solved.duals, c, fit);
  Kokkos::fence();
  const auto beta = on_host(solved.duals.beta), gradient = on_host(solved.duals.gradient);
  const std::size_t n = static_cast<std::size_t>(solved.set.size());
  for (int p = 0; p < 3; ++p) {
    double linear = 0, quadratic = 0, high = -1e300, low = 1e300;
    int support = 0, bounded = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double y = solved.set.label(i) == p ? 1 : -1, alpha = y * beta(p, i);
      linear += alpha;
      support += alpha != 0;
      bounded += alpha == c;
      if (y > 0 ? alpha < c : alpha > 0) high = std::max(high, gradient(p, i));
      if (y > 0 ? alpha > 0 : alpha < c) low = std::min(low, gradient(p, i));
      for (std::size_t j = 0; j < n; ++j) quadratic += beta(p, i) * solved.kernel.exact[i * n + j] * beta(p, j);
    }
    EXPECT_NEAR(fit(p).dual_objective, linear - 0.5 * quadratic, 1e-6 * linear);
    EXPECT_EQ(fit(p).support, support);
    EXPECT_EQ(fit(p).bounded, bounded);
    EXPECT_EQ(fit(p).violation, std::max(0.0, high - low));
    EXPECT_EQ(fit(p).bias, 0.5 * (high + low));
  }
}

TEST(Summarise, gives_a_problem_without_samples_of_one_sign_the_decision_of_the_other) {
  const auto set = test::some_digits(60, {0, 1});
  const auto kernel = test::make_kernel(set, 0.01);
  const std::vector<std::vector<int>> y{std::vector<int>(60, -1), std::vector<int>(60, 1), std::vector<int>(60, 0)};
  const auto duals = svm::make_problems<Device>(Device(), test::signs_of(y));
  svm::WholeKernel<Device> rows(Device(), kernel.minus_one);
  const auto progress = test::solve_in_waves(duals, rows, 3, svm::SolveParams{});
  const Flags<svm::FitSummary> fit("krossfold::test::summary", 3);
  svm::summarise(Device(), duals, 1.0, fit);
  Kokkos::fence();
  const double bias[] = {-1, 1, 0};
  for (int p = 0; p < 3; ++p) {
    EXPECT_TRUE(progress[p].converged);
    EXPECT_EQ(fit(p).bias, bias[p]);
    EXPECT_EQ(fit(p).support, 0);
    EXPECT_EQ(fit(p).violation, 0.0);
    EXPECT_EQ(fit(p).dual_objective, 0.0);
  }
}

}  // namespace
}  // namespace krossfold
