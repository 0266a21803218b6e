// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/interior_point.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "krossfold/svm/path.hpp"
#include "test/svm/checked_solution.hpp"
#include "test/svm/overlapping.hpp"
#include "test/svm/reference_solver.hpp"
#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

using svm::InteriorFit;
using test::check;
using test::Checked;
using test::problem_of;
using test::row_of;

struct Cell {
  double gamma, c;
};

class InteriorPoint : public testing::TestWithParam<Cell> {};

TEST_P(InteriorPoint, FindsTheOptimumWithBothFormsOfTheKernel) {
  const auto [gamma, c] = GetParam();
  const test::Overlapping set(240, 2, 7);
  const std::vector<double> exact = set.exact(gamma), upper(240, c);
  auto kernel = set.kernel(gamma);
  double objective = 0;
  for (const bool whole : {true, false}) {
    SCOPED_TRACE(whole ? "whole" : "factor");
    const int rank = whole ? 0 : kernel.rank_for(std::max(3e-7 / c, 2e-14), 120);
    if (!whole && rank == 0) continue;
    const auto duals = problem_of(set.y);
    const InteriorFit fit = svm::solve_interior<Device>(Device(), duals, 0, kernel, {.c = c, .rank = rank});
    ASSERT_TRUE(fit.converged) << fit.steps;
    EXPECT_LE(fit.steps, 50);
    const std::vector<double> beta = row_of(duals.beta), gradient = row_of(duals.gradient);
    const Checked found = check(exact, set.y, beta, upper);
    // The factor's residual may add to the violation.
    EXPECT_LE(found.violation, whole ? 1e-3 : 2e-3);
    EXPECT_LE(std::abs(found.sum), 1e-11 * c);
    EXPECT_LE(found.free, rank > 0 ? rank + 1 : 240);
    for (int i = 0; i < 240; ++i) {
      double g = set.y[i];
      for (int j = 0; j < 240; ++j) g -= exact[static_cast<std::size_t>(i) * 240 + j] * beta[j];
      EXPECT_NEAR(gradient[i], g, 1e-4) << i;
    }
    if (whole) {
      objective = found.objective;
    } else {
      EXPECT_NEAR(found.objective, objective, 2e-6 * objective);
    }
  }
  if (c <= 1e3) {
    const test::ReferenceFit reference = test::solve_reference(exact, set.y, c, 1e-5);
    EXPECT_NEAR(objective, reference.objective, 2e-6 * reference.objective);
  }
}

INSTANTIATE_TEST_SUITE_P(Cells, InteriorPoint,
                         testing::Values(Cell{0.001, 1e6}, Cell{0.01, 1e-2}, Cell{0.01, 1}, Cell{0.01, 1e3},
                                         Cell{0.01, 1e6}, Cell{0.3, 1}, Cell{0.3, 1e3}, Cell{0.3, 1e6}, Cell{0.3, 1e8},
                                         Cell{8, 1}, Cell{8, 1e3}, Cell{8, 1e6}));

TEST(InteriorPoint, StartedFromTheIterateOfASmallerCFindsTheSameInFewerSteps) {
  const test::Overlapping set(400, 2, 7);
  for (const double gamma : {0.01, 0.3}) {
    auto kernel = set.kernel(gamma);
    const int rank = kernel.rank_for(2e-12, 200);
    ASSERT_GT(rank, 0);
    svm::InteriorIterate<Device> iterate;
    int warm = 0, cold = 0;
    for (const double c : {0.01, 0.1, 1.0, 10.0, 100.0, 1e3, 1e5}) {
      const auto from_iterate = problem_of(set.y), from_beginning = problem_of(set.y);
      const svm::InteriorParams params{.c = c, .rank = rank};
      const InteriorFit fit = svm::solve_interior<Device>(Device(), from_iterate, 0, kernel, params, &iterate);
      const InteriorFit other = svm::solve_interior<Device>(Device(), from_beginning, 0, kernel, params);
      ASSERT_TRUE(fit.converged && other.converged) << c;
      EXPECT_EQ(iterate.c, c);
      if (c > 0.01) {
        warm += fit.steps;
        cold += other.steps;
      }
      const std::vector<double> exact = set.exact(gamma), upper(400, c);
      const Checked one = check(exact, set.y, row_of(from_iterate.beta), upper),
                    two = check(exact, set.y, row_of(from_beginning.beta), upper);
      EXPECT_LE(one.violation, 2e-3) << c;
      EXPECT_NEAR(one.objective, two.objective, 2e-6 * two.objective) << c;
    }
    EXPECT_LT(warm, cold * 9 / 10) << gamma;
  }
}

TEST(InteriorPoint, DoesNotStartFromTheIterateOfAnotherProblem) {
  const test::Overlapping small(60, 2, 7), large(200, 2, 8);
  auto of_small = small.kernel(0.3), of_large = large.kernel(0.3);
  svm::InteriorIterate<Device> iterate;
  const auto first = problem_of(small.y), second = problem_of(large.y), alone = problem_of(large.y);
  ASSERT_TRUE(svm::solve_interior<Device>(Device(), first, 0, of_small, {.c = 10}, &iterate).converged);
  ASSERT_TRUE(svm::solve_interior<Device>(Device(), second, 0, of_large, {.c = 100}, &iterate).converged);
  ASSERT_TRUE(svm::solve_interior<Device>(Device(), alone, 0, of_large, {.c = 100}).converged);
  EXPECT_EQ(row_of(second.beta), row_of(alone.beta));
  ASSERT_TRUE(svm::solve_interior<Device>(Device(), second, 0, of_large, {.c = 1}, &iterate).converged) << "smaller C";
}

TEST(InteriorPoint, KeepsToWeightsAndLeavesOtherSamplesOut) {
  const test::Overlapping set(200, 3, 8);
  const test::PartlyWeighted problem(set.y, 50);
  auto kernel = set.kernel(0.01);
  const int rank = kernel.rank_for(1e-8, 100);
  ASSERT_GT(rank, 0);
  const auto duals = problem_of(problem.y, problem.weight);
  ASSERT_TRUE(svm::solve_interior<Device>(Device(), duals, 0, kernel, {.c = 50, .rank = rank}).converged);
  const Checked found = check(set.exact(0.01), problem.y, row_of(duals.beta), problem.upper);
  EXPECT_LE(found.violation, 2e-3);
  EXPECT_GT(found.bounded, 20);
  EXPECT_NEAR(found.sum, 0, 1e-10);
}

/// Numbers of very different sizes in one sum leave errors that must not stay: with T alpha summed up over the steps, the last two
/// do not end.
TEST(InteriorPoint, EndsWithWeightsOfAThousandMillionsAndWithTightTolerances) {
  struct Hard {
    double gamma, weight, c, tolerance;
  };
  const test::Overlapping set(480, 2, 7);
  for (const Hard& hard :
       {Hard{0.3, 1e9, 1e6, 1e-3}, Hard{0.3, 1, 1e8, 1e-6}, Hard{0.05, 1e6, 1e8, 1e-6}, Hard{0.05, 1e9, 1e8, 1e-6}}) {
    SCOPED_TRACE(testing::Message() << "weight " << hard.weight << ", C = " << hard.c);
    auto kernel = set.kernel(hard.gamma);
    const int rank = kernel.rank_for(2e-14, 240);
    ASSERT_GT(rank, 0);
    const auto duals = problem_of(set.y, test::weights_with_heavy_ones(480, hard.weight));
    const svm::InteriorParams params{.c = hard.c, .tolerance = hard.tolerance, .rank = rank};
    const InteriorFit fit = svm::solve_interior<Device>(Device(), duals, 0, kernel, params);
    EXPECT_TRUE(fit.converged);
    EXPECT_LE(fit.steps, 60);
  }
}

TEST(InteriorPoint, LeavesAProblemAsItIsThatItDoesNotSolve) {
  const test::Overlapping set(40, 2, 9);
  auto kernel = set.kernel(0.1);
  const auto one_sign = problem_of(std::vector<int>(40, 1));
  EXPECT_FALSE(svm::solve_interior<Device>(Device(), one_sign, 0, kernel, {}).converged);
  const auto short_of_steps = problem_of(set.y);
  const InteriorFit fit = svm::solve_interior<Device>(Device(), short_of_steps, 0, kernel, {.max_steps = 3});
  EXPECT_FALSE(fit.converged);
  EXPECT_EQ(fit.steps, 3);
  const auto stopped = problem_of(set.y);
  EXPECT_THROW(
      svm::solve_interior<Device>(Device(), stopped, 0, kernel, {.poll = [] { throw std::runtime_error("stop"); }}),
      std::runtime_error);
  for (const auto& duals : {one_sign, short_of_steps, stopped}) test::expect_untouched(duals);
  EXPECT_EQ(row_of(stopped.gradient), std::vector<double>(set.y.begin(), set.y.end()));
}

}  // namespace
}  // namespace krossfold
