// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/smo.hpp"

#include <gtest/gtest.h>

#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

/// Problems with their working sets chosen and loaded, ready for smo().
struct AtWork {
  svm::DualProblems<Device> duals;
  svm::SubProblems<Device> subs;
  svm::WholeKernel<Device> rows;
  double c;

  AtWork(const test::KernelPair& kernel, const test::Signs& sign, double c_now, double tolerance)
      : duals(svm::make_problems<Device>(Device(), sign)),
        subs(svm::make_sub_problems<Device>(duals.problems(), duals.samples(), duals.samples())),
        rows(Device(), kernel.minus_one),
        c(c_now) {
    test::begin_work(subs, duals, rows, c, tolerance);
  }
  void run(int steps) {
    for (int s = 0; s < subs.slots; ++s) subs.slot(s).steps = steps;
    svm::smo(Device(), subs);
  }
  test::HostState stored() {
    svm::store_sub_problems(Device(), subs, duals, rows);
    return test::HostState(duals);
  }
};

/// Two points with kernel k and labels +1 and -1: the dual is max 2a - a^2 (1 - k), so a = min(C, 1 / (1 - k)). The
/// other n - 2 samples have sign 0: with n = 2 the sub-problem is the whole problem, with more it is a part.
struct TwoPoints {
  test::KernelPair kernel;
  std::vector<int> y;
  TwoPoints(double k, int n) : y(n, 0) {
    const Matrix<float> minus_one("krossfold::test::minus_one", n, n);
    Kokkos::deep_copy(minus_one, -0.5f);
    for (int i = 0; i < n; ++i) minus_one(i, i) = 0;
    minus_one(0, n - 1) = minus_one(n - 1, 0) = static_cast<float>(k - 1);
    kernel = test::make_kernel(minus_one);
    y[0] = 1;
    y[n - 1] = -1;
  }
};

class SmoOfTwoPoints : public ::testing::TestWithParam<int> {};

TEST_P(SmoOfTwoPoints, finds_the_known_solution) {
  const int n = GetParam();
  const TwoPoints two(0.25, n);
  AtWork work(two.kernel, test::signs_of({two.y}), 100.0, 1e-10);
  ASSERT_EQ(work.subs.slot(0).whole, n == 2 ? 1 : 0);
  work.run(1000);
  EXPECT_EQ(work.subs.slot(0).inner, 0);
  EXPECT_EQ(work.subs.slot(0).iterations, 1);
  EXPECT_EQ(work.subs.slot(0).free, 2);
  EXPECT_LE(work.subs.slot(0).inner_violation, 1e-10);
  const auto state = work.stored();
  EXPECT_NEAR(state.beta[0], 1 / 0.75, 1e-7);
  EXPECT_EQ(state.beta[n - 1], -state.beta[0]);
}

TEST_P(SmoOfTwoPoints, stops_exactly_at_the_bound) {
  const int n = GetParam();
  const TwoPoints two(0.25, n);
  AtWork work(two.kernel, test::signs_of({two.y}), 0.3, 1e-10);
  work.run(1000);
  EXPECT_EQ(work.subs.slot(0).inner, 0);
  EXPECT_EQ(work.subs.slot(0).free, 0);
  const auto grow = on_host(work.subs.grow);
  const auto shrink = on_host(work.subs.shrink);
  const auto position = on_host(work.subs.position);
  const int plus = n == 2 ? 0 : position(0, 0), minus = n == 2 ? 1 : position(0, n - 1);
  EXPECT_EQ(grow(0, plus), 0.0f);
  EXPECT_EQ(shrink(0, plus), 1.0f);
  EXPECT_EQ(grow(0, minus), 1.0f);
  EXPECT_EQ(shrink(0, minus), 0.0f);
  const auto state = work.stored();
  EXPECT_EQ(state.beta[0], 0.3);
  EXPECT_EQ(state.beta[n - 1], -0.3);
}

INSTANTIATE_TEST_SUITE_P(WholeAndPart, SmoOfTwoPoints, ::testing::Values(2, 6));

/// One-vs-rest, where sub-problems are whole problems, or pairs of classes, where they are parts.
std::vector<std::vector<int>> digit_signs(const data::Dataset& set, bool pairs) {
  const int classes = set.classes();
  std::vector<std::vector<int>> y;
  for (int p = 0; p < classes; ++p) {
    y.emplace_back();
    for (int i = 0; i < set.size(); ++i) {
      const int l = set.label(i);
      y.back().push_back(l == p ? 1 : !pairs || l == (p + 1) % classes ? -1 : 0);
    }
  }
  return y;
}

TEST(Smo, keeps_the_invariants_of_the_dual) {
  const double c = 5;
  for (const bool pairs : {false, true}) {
    const auto set = test::some_digits(300, {1, 4, 6, 7, 9});
    const auto kernel = test::make_kernel(set, 0.01);
    const auto y = digit_signs(set, pairs);
    AtWork work(kernel, test::signs_of(y), c, 1e-4);
    work.run(200);
    const auto grow = on_host(work.subs.grow);
    const auto shrink = on_host(work.subs.shrink);
    const auto sample = on_host(work.subs.sample);
    const auto state = work.stored();
    for (int p = 0; p < 5; ++p) {
      const svm::Slot& slot = work.subs.slot(p);
      ASSERT_EQ(slot.whole, pairs ? 0 : 1) << "the case does not test what it should";
      ASSERT_LE(slot.iterations, 200);
      int free = 0;
      for (int r = 0; r < svm::size_of(slot, state.n); ++r) {
        const int i = slot.whole != 0 ? r : sample(p, r);
        const double alpha = y[p][i] * state.beta[p * state.n + i];
        ASSERT_EQ(grow(p, r) != 0, y[p][i] > 0 ? alpha < c : alpha > 0);
        ASSERT_EQ(shrink(p, r) != 0, y[p][i] > 0 ? alpha > 0 : alpha < c);
        free += alpha > 0 && alpha < c;
      }
      EXPECT_EQ(slot.free, free);
      double sum = 0, mass = 0;
      for (int i = 0; i < state.n; ++i) {
        const double beta = state.beta[p * state.n + i], alpha = y[p][i] * beta;
        ASSERT_GE(alpha, 0.0);
        ASSERT_LE(alpha, c);
        if (y[p][i] == 0) {
          ASSERT_EQ(beta, 0.0);
        }
        sum += beta;
        mass += alpha;
      }
      EXPECT_GT(mass, 0.0);
      EXPECT_NEAR(sum, 0, 1e-12 * mass);
      EXPECT_LE(test::gradient_error(state, kernel, p, y[p]), 1e-5) << "problem " << p;
    }
  }
}

TEST(Smo, in_many_calls_gives_the_bits_of_one_call) {
  for (const bool pairs : {false, true}) {
    const auto set = test::some_digits(250, {0, 3, 5, 6, 8});
    const auto kernel = test::make_kernel(set, 0.02);
    std::vector<test::HostState> found;
    std::vector<std::int64_t> iterations;
    for (const int steps : {3000, 7, 1}) {
      AtWork work(kernel, test::signs_of(digit_signs(set, pairs)), 10.0, 1e-3);
      for (int done = 0; done < 3000 + steps; done += steps) work.run(steps);
      for (int s = 0; s < work.subs.slots; ++s) {
        EXPECT_EQ(work.subs.slot(s).inner, 0) << "slot " << s << " has not finished";
        EXPECT_LE(work.subs.slot(s).inner_violation, 1e-3);
        iterations.push_back(work.subs.slot(s).iterations);
      }
      found.push_back(work.stored());
    }
    EXPECT_TRUE(found[0] == found[1]);
    EXPECT_TRUE(found[0] == found[2]);
    for (int s = 0; s < 5; ++s) {
      EXPECT_EQ(iterations[s], iterations[5 + s]);
      EXPECT_EQ(iterations[s], iterations[10 + s]);
    }
  }
}

TEST(Smo, leaves_slots_alone_that_are_not_at_work) {
  const auto set = test::some_digits(200, {0, 3, 5, 6, 8});
  AtWork work(test::make_kernel(set, 0.02), test::signs_of(digit_signs(set, true)), 10.0, 1e-3);
  work.subs.slot(1).inner = 0;
  work.subs.slot(2).active = 0;
  work.run(50);
  const auto beta = on_host(work.subs.beta);
  for (const int s : {1, 2}) {
    EXPECT_EQ(work.subs.slot(s).iterations, 0);
    for (int r = 0; r < work.subs.slot(s).members; ++r) ASSERT_EQ(beta(s, r), 0.0);
  }
  EXPECT_GT(work.subs.slot(0).iterations, 0);
}

}  // namespace
}  // namespace krossfold
