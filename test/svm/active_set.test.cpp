// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/active_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "krossfold/svm/interior_point.hpp"
#include "test/svm/checked_solution.hpp"
#include "test/svm/overlapping.hpp"

namespace krossfold {
namespace {

using svm::ActiveSetFit;
using test::Checked;

struct Cell {
  double gamma, c;
};

class ActiveSet : public testing::TestWithParam<Cell> {};

/// From the solution at C / 10, scaled.
TEST_P(ActiveSet, FollowsTheSolutionToTenTimesC) {
  const auto [gamma, c] = GetParam();
  const test::Overlapping set(240, 2, 7);
  const std::vector<double> exact = set.exact(gamma), upper(240, c);
  auto kernel = set.kernel(gamma);
  const auto expected = test::problem_of(set.y), duals = test::problem_of(set.y);
  ASSERT_TRUE(svm::solve_interior<Device>(Device(), expected, 0, kernel, {.c = c}).converged);
  const double objective = test::check(exact, set.y, test::row_of(expected.beta), upper).objective;
  ASSERT_TRUE(svm::solve_interior<Device>(Device(), duals, 0, kernel, {.c = c / 10}).converged);
  const Flags<int> follow("follow", 1);
  follow(0) = 1;
  svm::scale_to<Device>(Device(), duals, c / 10, c, follow);
  const ActiveSetFit fit = svm::follow_active_set<Device>(Device(), duals, 0, kernel, {.c = c});
  EXPECT_TRUE(fit.complete) << fit.events;
  EXPECT_LE(fit.events, 480);
  EXPECT_GT(fit.cost, 0);
  const std::vector<double> beta = test::row_of(duals.beta), gradient = test::row_of(duals.gradient);
  const Checked found = test::check(exact, set.y, beta, upper);
  EXPECT_LE(found.violation, 1e-3);
  EXPECT_LE(std::abs(found.sum), 1e-11 * c);
  EXPECT_NEAR(found.objective, objective, 2e-6 * objective);
  for (int i = 0; i < 240; ++i) {
    double g = set.y[i];
    for (int j = 0; j < 240; ++j) g -= exact[static_cast<std::size_t>(i) * 240 + j] * beta[j];
    EXPECT_NEAR(gradient[i], g, 1e-6) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Cells, ActiveSet,
                         testing::Values(Cell{0.001, 1e6}, Cell{0.01, 10}, Cell{0.01, 1e3}, Cell{0.01, 1e6},
                                         Cell{0.3, 1}, Cell{0.3, 1e3}, Cell{0.3, 1e6}, Cell{8, 10}, Cell{8, 1e3},
                                         Cell{8, 1e6}));

TEST(ActiveSet, KeepsToWeightsLeavesOtherSamplesOutAndTakesEqualSamplesOneByOne) {
  test::Overlapping set(200, 3, 8);
  std::vector<double> weight, upper;
  for (int i = 0; i < 200; ++i) {
    if (i % 5 == 0) set.y[i] = 0;
    weight.push_back(i % 7 == 0 ? 0.0 : 0.5 + i % 3);
    upper.push_back(50 * weight.back());
    for (int f = 0; f < 3; ++f) set.x(i, f) = set.x(i % 60, f);
  }
  auto kernel = set.kernel(0.1);
  const auto duals = test::problem_of(set.y, weight);
  ASSERT_TRUE(svm::solve_interior<Device>(Device(), duals, 0, kernel, {.c = 5}).converged);
  const Flags<int> follow("follow", 1);
  follow(0) = 1;
  svm::scale_to<Device>(Device(), duals, 5, 50, follow);
  const ActiveSetFit fit = svm::follow_active_set<Device>(Device(), duals, 0, kernel, {.c = 50});
  EXPECT_TRUE(fit.complete) << fit.events;
  EXPECT_LE(test::check(set.exact(0.1), set.y, test::row_of(duals.beta), upper).violation, 1e-3);
}

/// Rows of K one by one, which give way to others, lead to the same bits as the whole matrix.
TEST(ActiveSet, DoesNotDependOnHowManyRowsAreInMemory) {
  const test::Overlapping set(240, 2, 7);
  const Flags<int> follow("follow", 1);
  follow(0) = 1;
  std::vector<std::vector<double>> beta, gradient;
  std::vector<int> events;
  for (const int places : {0, 200, 100}) {
    auto kernel = set.kernel(3, places);
    EXPECT_EQ(kernel.places(), places == 0 ? 240 : places);
    const auto duals = test::problem_of(set.y);
    ASSERT_TRUE(svm::solve_interior<Device>(Device(), duals, 0, kernel, {.c = 1}).converged);
    svm::scale_to<Device>(Device(), duals, 1, 10, follow);
    const ActiveSetFit fit = svm::follow_active_set<Device>(Device(), duals, 0, kernel, {.c = 10});
    EXPECT_TRUE(fit.complete) << fit.events;
    EXPECT_LE(fit.free, 100 - 24);
    events.push_back(fit.events);
    beta.push_back(test::row_of(duals.beta));
    gradient.push_back(test::row_of(duals.gradient));
  }
  EXPECT_GT(events[0], 100);
  for (std::size_t k = 1; k < beta.size(); ++k) {
    EXPECT_EQ(events[k], events[0]);
    EXPECT_EQ(beta[k], beta[0]);
    EXPECT_EQ(gradient[k], gradient[0]);
  }
}

TEST(ActiveSet, GivesUpWhereItMayNotGoOnAndLeavesAFeasibleProblem) {
  const test::Overlapping set(240, 2, 7);
  auto kernel = set.kernel(0.3);
  const auto untouched = test::problem_of(set.y);
  EXPECT_FALSE(svm::follow_active_set<Device>(Device(), untouched, 0, kernel, {.c = 10}).complete);  // nothing is free
  const auto duals = test::problem_of(set.y);
  ASSERT_TRUE(svm::solve_interior<Device>(Device(), duals, 0, kernel, {.c = 1}).converged);
  const Flags<int> follow("follow", 1);
  follow(0) = 1;
  svm::scale_to<Device>(Device(), duals, 1, 10, follow);
  const std::vector<double> before = test::row_of(duals.beta);
  EXPECT_FALSE(svm::follow_active_set<Device>(Device(), duals, 0, kernel, {.c = 10, .max_free = 2}).complete);
  EXPECT_EQ(test::row_of(duals.beta), before);
  const Poll refuse = [] { throw std::runtime_error("stop"); };
  EXPECT_THROW(svm::follow_active_set<Device>(Device(), duals, 0, kernel, {.c = 10, .poll = refuse}),
               std::runtime_error);
  EXPECT_EQ(test::row_of(duals.beta), before);  // thrown before anything was done
  const ActiveSetFit fit = svm::follow_active_set<Device>(Device(), duals, 0, kernel, {.c = 10, .max_events = 20});
  EXPECT_FALSE(fit.complete);
  EXPECT_EQ(fit.events, 20);
  const Checked found = test::check(set.exact(0.3), set.y, test::row_of(duals.beta), std::vector<double>(240, 10));
  EXPECT_NEAR(found.sum, 0, 1e-10);
}

}  // namespace
}  // namespace krossfold
