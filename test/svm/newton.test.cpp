// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/newton.hpp"

#include <gtest/gtest.h>

#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

/// One problem with its working set loaded, ready for newton(). At least half of the samples have sign 0.
struct AtWork {
  svm::DualProblems<Device> duals;
  svm::SubProblems<Device> subs;
  svm::WholeKernel<Device> rows;
  svm::NewtonWork<Device> work;
  double c;

  AtWork(const test::KernelPair& kernel, const std::vector<int>& y, const std::vector<double>& beta, double c_now)
      : duals(svm::make_problems<Device>(Device(), test::signs_of({y}))),
        subs(svm::make_sub_problems<Device>(1, duals.samples(), duals.samples())),
        rows(Device(), kernel.minus_one),
        work(svm::make_newton_work<Device>(1, duals.samples(), duals.samples())),
        c(c_now) {
    test::set_beta(duals, kernel, 0, y, beta);
    test::begin_work(subs, duals, rows, c, 1e-9);
    EXPECT_EQ(subs.slot(0).active, 1) << "there is nothing to gain";
    EXPECT_EQ(subs.slot(0).whole, 0) << "the case does not test what it should";
  }
  test::HostState step() {
    svm::newton(Device(), subs, work);
    expect_freedom_up_to_date();
    svm::store_sub_problems(Device(), subs, duals, rows);
    return test::HostState(duals);
  }
  void expect_freedom_up_to_date() const {
    const auto beta = on_host(subs.beta);
    const auto grow = on_host(subs.grow), shrink = on_host(subs.shrink);
    const auto bound = on_host(subs.bound);
    for (int r = 0; r < subs.slot(0).members; ++r) {
      const auto freedom = svm::freedom_of(beta(0, r), bound(0, r));
      ASSERT_EQ(grow(0, r) != 0, (freedom & svm::can_grow) != 0);
      ASSERT_EQ(shrink(0, r) != 0, (freedom & svm::can_shrink) != 0);
    }
  }
};

/// A feasible beta: the two samples of each pair of opposite signs share one magnitude, which is random, 0 or C.
std::vector<double> feasible_beta(const std::vector<int>& y, double c, double free_share, std::mt19937& engine) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> beta(y.size(), 0.0);
  std::vector<std::size_t> plus, minus;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i] != 0) (y[i] > 0 ? plus : minus).push_back(i);
  }
  for (std::size_t k = 0; k < std::min(plus.size(), minus.size()); ++k) {
    const double a = uniform(engine) < free_share ? c * uniform(engine) : uniform(engine) < 0.5 ? 0.0 : c;
    beta[plus[k]] = a;
    beta[minus[k]] = -a;
  }
  return beta;
}

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum;
}

TEST(Newton, finds_the_optimum_of_free_members_in_one_step) {
  for (const int signed_samples : {3, 4, 10, 40}) {
    const unsigned seed = 700 + static_cast<unsigned>(signed_samples);
    const test::RandomCase from{seed, 3 * signed_samples, 1, 3, 100.0, 50, 0.0};  // the optimum is inside the box
    auto random = test::make_random(from);
    auto& y = random.y[0];
    std::vector<double> beta(y.size(), 0.0);
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = static_cast<int>(i) < signed_samples ? (i % 2 == 0 ? 1 : -1) : 0;
      beta[i] = y[i] * 0.5;
    }
    if (signed_samples % 2 == 1) beta[0] = beta[2] = 0.25;  // keeps the sum at zero
    AtWork work(random.kernel, y, beta, from.c);
    const auto state = work.step();
    EXPECT_EQ(work.subs.slot(0).free, signed_samples) << "seed " << seed;
    // At the optimum over the free members all their gradients are equal.
    const double mean = sum_of({state.gradient.begin(), state.gradient.begin() + signed_samples}) / signed_samples;
    std::vector<double> exact = state.gradient;
    for (int i = 0; i < signed_samples; ++i) {
      exact[i] = y[i];
      for (int j = 0; j < signed_samples; ++j) {
        exact[i] -= random.kernel.exact[static_cast<std::size_t>(i) * y.size() + j] * state.beta[j];
      }
      EXPECT_NEAR(exact[i], state.gradient[i], 1e-9) << "seed " << seed;
      EXPECT_NEAR(state.gradient[i], mean, 1e-9) << "seed " << seed << ", sample " << i;
    }
    EXPECT_NEAR(sum_of(state.beta), 0, 1e-9) << "seed " << seed;
  }
}

/// A direction along which the dual does not increase is left, and the first one is tried. Here K_WF lies, by asymmetry, so that
/// neither does: curvatures are slightly negative, and any part of the product that is missing turns them.
TEST(Newton, leaves_everything_as_it_is_where_no_direction_increases_the_dual) {
  const test::RandomCase from{731, 120, 1, 3, 3.0, 1.5, 0.0};  // the first direction leaves the box
  auto random = test::make_random(from);
  auto& y = random.y[0];
  std::vector<double> beta(y.size(), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = i < 40 ? (i % 2 == 0 ? 1 : -1) : 0;
    beta[i] = y[i] * 0.5;
  }
  double bend = 0, squares = 0, apart = 0;
  {
    AtWork work(random.kernel, y, beta, from.c);
    svm::newton(Device(), work.subs, work.work);
    const auto first = on_host(work.work.first_step);
    const auto step = on_host(work.work.step), product = on_host(work.work.product);
    const auto free = on_host(work.work.free);
    for (int k = 0; k < work.subs.slot(0).free; ++k) {
      bend += step(0, k) * product(0, free(0, k));
      squares += step(0, k) * step(0, k);
      apart += std::abs(step(0, k) - first(0, k));
    }
  }
  ASSERT_GT(bend, 0);
  ASSERT_GT(apart, 0.1) << "one direction is tried twice";
  AtWork work(random.kernel, y, beta, from.c);
  const auto kernel = host_mirror(work.subs.kernel);
  Kokkos::deep_copy(kernel, work.subs.kernel);
  const int stride = work.subs.slot(0).stride;
  // The sum of the steps is 0: a constant below the diagonal adds minus half of itself for each square.
  for (int r = 0; r < 40; ++r) {
    for (int k = 0; k < r; ++k) kernel(r * stride + k) += static_cast<float>(2.2 * bend / squares);
  }
  Kokkos::deep_copy(work.subs.kernel, kernel);
  const test::HostState before(work.duals);
  const auto anchor = on_host(work.subs.gradient);
  std::vector<double> gradient(&anchor(0, 0), &anchor(0, 0) + 40);
  svm::newton(Device(), work.subs, work.work);
  const auto after = on_host(work.subs.beta), gradient_after = on_host(work.subs.gradient);
  for (int r = 0; r < 40; ++r) {
    EXPECT_EQ(after(0, r), beta[0] * (after(0, r) > 0 ? 1 : -1)) << r;
    EXPECT_EQ(gradient_after(0, r), gradient[static_cast<std::size_t>(r)]) << r;
  }
}

class NewtonOnRandom : public ::testing::TestWithParam<test::RandomCase> {};

TEST_P(NewtonOnRandom, never_lowers_the_dual_and_keeps_the_sum_and_the_box) {
  const test::RandomCase from = GetParam();
  const auto random = test::make_random(from);
  const auto& y = random.y[0];
  std::mt19937 engine(from.seed + 1);
  int at_bounds = 0, moved = 0;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const auto beta = feasible_beta(y, from.c, 0.5, engine);
    AtWork work(random.kernel, y, beta, from.c);
    const test::HostState before(work.duals);
    const auto after = work.step();
    const double gained = test::dual_of(after, random.kernel, 0, y) - test::dual_of(before, random.kernel, 0, y);
    double mass = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto sign = static_cast<std::int8_t>(y[i]);
      ASSERT_GE(after.beta[i], svm::lower_bound(sign * from.c));
      ASSERT_LE(after.beta[i], svm::upper_bound(sign * from.c));
      mass += std::abs(after.beta[i]);
      const bool was_free = svm::freedom_of(before.beta[i], sign * from.c) == (svm::can_grow | svm::can_shrink);
      if (!was_free) {
        ASSERT_EQ(after.beta[i], before.beta[i]) << "moved a sample at a bound";
      }
      at_bounds += was_free && (after.beta[i] == 0 || std::abs(after.beta[i]) == from.c);
    }
    moved += gained > 0;
    EXPECT_GE(gained, -1e-10 * mass) << "repeat " << repeat;
    EXPECT_NEAR(sum_of(after.beta), 0, 1e-9 * (1 + mass)) << "repeat " << repeat;
    EXPECT_LE(test::gradient_error(after, random.kernel, 0, y), 1e-10 * (1 + mass)) << "repeat " << repeat;
  }
  // At gamma = 0.01 K_FF is numerically singular, and steps may be too short to change the dual measurably.
  EXPECT_GE(moved, from.gamma < 0.1 ? 1 : 10) << "a step from a random point increases the dual";
  EXPECT_GT(at_bounds, 0) << "a step that leaves the box ends exactly at bounds";
}

INSTANTIATE_TEST_SUITE_P(Cases, NewtonOnRandom,
                         ::testing::Values(test::RandomCase{710, 60, 1, 2, 1.0, 1, 0.7},
                                           test::RandomCase{711, 150, 1, 3, 10, 0.7, 0.6},
                                           test::RandomCase{712, 200, 1, 2, 0.01, 5, 0.7},
                                           test::RandomCase{713, 400, 1, 5, 1.0, 100, 0.6}));

TEST(Newton, survives_a_singular_kernel_matrix) {
  // Every sample occurs twice, once with either sign: K_FF has half the full rank.
  const int pairs = 10, n = 6 * pairs;
  const test::RandomCase from{720, n, 1, 2, 0.5, 3, 0.0};
  const auto random = test::make_random(from);
  const Matrix<float> doubled("krossfold::test::doubled", n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      doubled(i, j) = static_cast<float>(random.kernel.exact[static_cast<std::size_t>(i / 2) * n + j / 2] - 1);
    }
  }
  const auto kernel = test::make_kernel(doubled);
  for (const bool opposite : {false, true}) {
    std::vector<int> y(n, 0);
    for (int i = 0; i < 2 * pairs; ++i) y[i] = opposite ? (i % 2 == 0 ? 1 : -1) : (i / 2 % 2 == 0 ? 1 : -1);
    std::mt19937 engine(721);
    for (int repeat = 0; repeat < 5; ++repeat) {
      AtWork work(kernel, y, feasible_beta(y, from.c, 1.0, engine), from.c);
      const test::HostState before(work.duals);
      const auto after = work.step();
      for (int i = 0; i < n; ++i) {
        ASSERT_TRUE(std::isfinite(after.beta[i]) && std::isfinite(after.gradient[i]));
        ASSERT_GE(y[i] * after.beta[i], 0.0);
        ASSERT_LE(y[i] * after.beta[i], from.c);
      }
      EXPECT_NEAR(sum_of(after.beta), 0, 1e-7) << "seeds 720, 721, repeat " << repeat;
      EXPECT_GE(test::dual_of(after, kernel, 0, y), test::dual_of(before, kernel, 0, y) - 1e-9)
          << "seeds 720, 721, repeat " << repeat;
    }
  }
}

TEST(Newton, does_nothing_with_fewer_than_three_free_members) {
  const test::RandomCase from{730, 30, 1, 2, 1.0, 2, 0.6};
  const auto random = test::make_random(from);
  const auto& y = random.y[0];
  std::vector<double> beta(y.size(), 0.0);
  const auto plus = std::find(y.begin(), y.end(), 1) - y.begin(), minus = std::find(y.begin(), y.end(), -1) - y.begin();
  beta[plus] = 1;
  beta[minus] = -1;
  AtWork work(random.kernel, y, beta, from.c);
  const test::HostState before(work.duals);
  EXPECT_TRUE(work.step() == before);
}

}  // namespace
}  // namespace krossfold
