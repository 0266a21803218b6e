// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/augmented_lagrangian.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "krossfold/svm/interior_point.hpp"
#include "test/svm/checked_solution.hpp"
#include "test/svm/overlapping.hpp"
#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

using svm::LagrangianFit;
using test::check;
using test::Checked;
using test::problem_of;
using test::row_of;

struct Cell {
  double gamma, c;
};

class AugmentedLagrangian : public testing::TestWithParam<Cell> {};

TEST_P(AugmentedLagrangian, FindsTheOptimumOfInteriorPoints) {
  const auto [gamma, c] = GetParam();
  const test::Overlapping set(600, 2, 7);
  const std::vector<double> exact = set.exact(gamma), upper(600, c);
  auto kernel = set.kernel(gamma);
  const int rank = kernel.rank_for(svm::factor_tolerance(c), 600);
  ASSERT_GT(rank, 0);
  const auto duals = problem_of(set.y), other = problem_of(set.y);
  const LagrangianFit fit = svm::solve_lagrangian<Device>(Device(), duals, 0, kernel, {.c = c, .rank = rank});
  ASSERT_TRUE(fit.converged) << fit.steps;
  EXPECT_LE(fit.steps, 150);
  const std::vector<double> beta = row_of(duals.beta), gradient = row_of(duals.gradient);
  const Checked found = check(exact, set.y, beta, upper);
  EXPECT_LE(found.violation, 2e-3);  // the factor's residual may add to it
  EXPECT_LE(std::abs(found.sum), 1e-11 * c);
  for (int i = 0; i < 600; ++i) {
    double g = set.y[i];
    for (int j = 0; j < 600; ++j) g -= exact[static_cast<std::size_t>(i) * 600 + j] * beta[j];
    EXPECT_NEAR(gradient[i], g, 1e-4) << i;
  }
  ASSERT_TRUE(svm::solve_interior<Device>(Device(), other, 0, kernel, {.c = c, .rank = rank}).converged);
  const Checked expected = check(exact, set.y, row_of(other.beta), upper);
  EXPECT_NEAR(found.objective, expected.objective, 5e-6 * expected.objective);
}

INSTANTIATE_TEST_SUITE_P(Cells, AugmentedLagrangian,
                         testing::Values(Cell{0.001, 1e-3}, Cell{0.001, 1e6}, Cell{0.01, 1e-2}, Cell{0.01, 1},
                                         Cell{0.01, 1e3}, Cell{0.01, 1e6}, Cell{0.3, 1}, Cell{0.3, 1e3}, Cell{0.3, 1e6},
                                         Cell{0.3, 1e8}, Cell{1, 1}, Cell{1, 1e3}, Cell{1, 1e6}));

TEST(AugmentedLagrangian, StartedFromASmallerCFindsTheSameWithAFactorThatGrows) {
  const test::Overlapping set(400, 2, 7);
  for (const double gamma : {0.01, 0.3}) {
    auto kernel = set.kernel(gamma);
    svm::LagrangianIterate<Device> iterate;
    for (const double c : {0.01, 0.1, 1.0, 10.0, 100.0, 1e3, 1e5}) {
      const int rank = kernel.rank_for(svm::factor_tolerance(c), 400);
      const auto from_iterate = problem_of(set.y), from_beginning = problem_of(set.y);
      const svm::LagrangianParams params{.c = c, .rank = rank};
      const LagrangianFit fit = svm::solve_lagrangian<Device>(Device(), from_iterate, 0, kernel, params, &iterate);
      const LagrangianFit other = svm::solve_lagrangian<Device>(Device(), from_beginning, 0, kernel, params);
      ASSERT_TRUE(fit.converged && other.converged) << c;
      EXPECT_EQ(iterate.c, c);
      EXPECT_EQ(iterate.w.extent(0), static_cast<std::size_t>(rank) + 1);
      const std::vector<double> exact = set.exact(gamma), upper(400, c);
      const Checked one = check(exact, set.y, row_of(from_iterate.beta), upper),
                    two = check(exact, set.y, row_of(from_beginning.beta), upper);
      EXPECT_LE(one.violation, 2e-3) << c;
      EXPECT_NEAR(one.objective, two.objective, 5e-6 * two.objective) << c;
    }
  }
}

/// Where no variable is free, rounding keeps the sum over y alpha from 0, and the bias has nothing to hold it.
TEST(AugmentedLagrangian, EndsSoonWhereEveryVariableIsAtABound) {
  const test::Overlapping set(600, 2, 7);
  auto kernel = set.kernel(0.05);
  const int rank = kernel.rank_for(1e-7, 300);
  ASSERT_GT(rank, 0);
  for (const bool even : {true, false}) {
    std::vector<int> y = set.y;
    for (int i = 0; i < (even ? 0 : 60); ++i) y[i] = -1;
    for (const double c : {1e-4, 3.6e-4, 1e-3, 2.5e-3, 3e-3, 1e-2}) {
      SCOPED_TRACE(testing::Message() << "C = " << c << (even ? "" : ", uneven"));
      const auto duals = problem_of(y), other = problem_of(y);
      const LagrangianFit fit = svm::solve_lagrangian<Device>(Device(), duals, 0, kernel, {.c = c, .rank = rank});
      EXPECT_TRUE(fit.converged);
      EXPECT_LE(fit.steps, 40);
      EXPECT_TRUE(svm::solve_interior<Device>(Device(), other, 0, kernel, {.c = c, .rank = rank}).converged);
      const std::vector<double> upper(600, c);
      EXPECT_LE(check(set.exact(0.05), y, row_of(duals.beta), upper).violation, 2e-3);
    }
  }
}

TEST(AugmentedLagrangian, LeavesProblemsOfFewMembersAsTheyAre) {
  const test::Overlapping set(200, 2, 7);
  auto kernel = set.kernel(0.05);
  const int rank = kernel.rank_for(1e-7, 100);
  ASSERT_GT(rank, 0);
  const svm::LagrangianParams params{.c = 10, .rank = rank, .members_a_row = 1 + 200 / rank};
  const LagrangianFit fit = svm::solve_lagrangian<Device>(Device(), problem_of(set.y), 0, kernel, params);
  EXPECT_TRUE(!fit.converged && fit.steps == 0);
}

TEST(AugmentedLagrangian, DoesNotStartFromTheIterateOfAnotherProblem) {
  const test::Overlapping small(60, 2, 7), large(200, 2, 8);
  auto of_small = small.kernel(0.3), of_large = large.kernel(0.3);
  const int rank_of_small = of_small.rank_for(1e-4, 30), rank = of_large.rank_for(1e-8, 100);
  ASSERT_TRUE(rank_of_small > 0 && rank > 0);
  svm::LagrangianIterate<Device> iterate;
  const auto first = problem_of(small.y), second = problem_of(large.y), alone = problem_of(large.y);
  ASSERT_TRUE(svm::solve_lagrangian<Device>(Device(), first, 0, of_small, {.c = 10, .rank = rank_of_small}, &iterate)
                  .converged);
  ASSERT_TRUE(
      svm::solve_lagrangian<Device>(Device(), second, 0, of_large, {.c = 100, .rank = rank}, &iterate).converged);
  ASSERT_TRUE(svm::solve_lagrangian<Device>(Device(), alone, 0, of_large, {.c = 100, .rank = rank}).converged);
  EXPECT_EQ(row_of(second.beta), row_of(alone.beta));
  ASSERT_TRUE(svm::solve_lagrangian<Device>(Device(), second, 0, of_large, {.c = 1, .rank = rank}, &iterate).converged)
      << "smaller C";
}

TEST(AugmentedLagrangian, KeepsToWeightsAndLeavesOtherSamplesOut) {
  const test::Overlapping set(200, 3, 8);
  const test::PartlyWeighted problem(set.y, 50);
  auto kernel = set.kernel(0.01);
  const int rank = kernel.rank_for(1e-8, 100);
  ASSERT_GT(rank, 0);
  const auto duals = problem_of(problem.y, problem.weight);
  ASSERT_TRUE(svm::solve_lagrangian<Device>(Device(), duals, 0, kernel, {.c = 50, .rank = rank}).converged);
  const Checked found = check(set.exact(0.01), problem.y, row_of(duals.beta), problem.upper);
  EXPECT_LE(found.violation, 2e-3);
  EXPECT_GT(found.bounded, 20);
  EXPECT_NEAR(found.sum, 0, 1e-10);
}

TEST(AugmentedLagrangian, EndsWithRareSignsLargeWeightsAndTightTolerances) {
  struct Hard {
    double gamma, weight, c, tolerance;
    int every;
  };
  for (const Hard& hard : {Hard{0.3, 1e6, 1e3, 1e-3, 1}, Hard{0.3, 1, 1e6, 1e-6, 1}, Hard{0.05, 1, 1e5, 1e-6, 1},
                           Hard{0.05, 1, 1e4, 1e-3, 40}, Hard{0.3, 100, 1e-4, 1e-3, 40}}) {
    SCOPED_TRACE(testing::Message() << "weight " << hard.weight << ", C = " << hard.c << ", one in " << hard.every);
    const test::Overlapping set(480, 2, 7);
    std::vector<int> y = set.y;
    const std::vector<double> weight = test::weights_with_heavy_ones(480, hard.weight);
    std::vector<double> upper;
    for (int i = 0; i < 480; ++i) {
      if (i / 2 % hard.every != 0) y[i] = -1;
      upper.push_back(hard.c * weight[i]);
    }
    auto kernel = set.kernel(hard.gamma);
    const int rank = kernel.rank_for(2e-14, 240);
    ASSERT_GT(rank, 0);
    const auto duals = problem_of(y, weight);
    const svm::LagrangianParams params{.c = hard.c, .tolerance = hard.tolerance, .rank = rank};
    const LagrangianFit fit = svm::solve_lagrangian<Device>(Device(), duals, 0, kernel, params);
    EXPECT_TRUE(fit.converged);
    EXPECT_LE(fit.steps, 220);
    const Checked found = check(set.exact(hard.gamma), y, row_of(duals.beta), upper);
    EXPECT_LE(found.violation, 1.1 * hard.tolerance + 1e-9 * hard.weight * hard.c * 1e-3);
  }
}

TEST(AugmentedLagrangian, LeavesAProblemAsItIsThatItDoesNotSolve) {
  const test::Overlapping set(40, 2, 9);
  auto kernel = set.kernel(0.1);
  const int rank = kernel.rank_for(1e-3, 20);
  ASSERT_GT(rank, 0);
  const auto one_sign = problem_of(std::vector<int>(40, 1));
  EXPECT_FALSE(svm::solve_lagrangian<Device>(Device(), one_sign, 0, kernel, {.rank = rank}).converged);
  const auto short_of_steps = problem_of(set.y);
  const LagrangianFit fit =
      svm::solve_lagrangian<Device>(Device(), short_of_steps, 0, kernel, {.c = 100, .max_steps = 3, .rank = rank});
  EXPECT_FALSE(fit.converged);
  EXPECT_EQ(fit.steps, 3);
  const auto stopped = problem_of(set.y);
  EXPECT_THROW(svm::solve_lagrangian<Device>(Device(), stopped, 0, kernel,
                                             {.rank = rank, .poll = [] { throw std::runtime_error("stop"); }}),
               std::runtime_error);
  for (const auto& duals : {one_sign, short_of_steps, stopped}) test::expect_untouched(duals);
  EXPECT_EQ(row_of(stopped.gradient), std::vector<double>(set.y.begin(), set.y.end()));
}

}  // namespace
}  // namespace krossfold
