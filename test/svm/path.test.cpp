// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/path.hpp"

#include <gtest/gtest.h>

#include "krossfold/core/error.hpp"
#include "test/svm/reference_solver.hpp"
#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

svm::PathSolution<Device> solve(const test::KernelPair& kernel, int classes, const svm::PathParams& params) {
  return svm::solve_path<Device>(Device(), kernel.minus_one, kernel.label, classes, params);
}

class PathOverGamma : public ::testing::TestWithParam<double> {};

TEST_P(PathOverGamma, reaches_the_dual_objective_of_a_plain_double_precision_solver) {
  const double gamma = GetParam();
  const auto set = test::some_digits(300, {3, 5, 8, 9});
  const auto kernel = test::make_kernel(set, gamma);
  svm::PathParams params;
  params.c = {1e-3, 0.05, 1, 50, 2000, 1e4, 1e6};
  params.tolerance = 1e-5;
  const auto solution = solve(kernel, 4, params);
  ASSERT_TRUE(solution.complete);
  for (std::size_t k = 0; k < params.c.size(); ++k) {
    for (int p = 0; p < 4; ++p) {
      std::vector<int> y(static_cast<std::size_t>(set.size()));
      for (int i = 0; i < set.size(); ++i) y[i] = set.label(i) == p ? 1 : -1;
      const auto reference = test::solve_reference(kernel.exact, y, params.c[k], 1e-7);
      ASSERT_LE(reference.violation, 1e-7) << "the reference itself did not converge";
      const svm::FitSummary& fit = solution.fit[k * 4 + p];
      EXPECT_EQ(fit.converged, 1);
      EXPECT_LE(fit.violation, 1e-5);
      EXPECT_NEAR(fit.dual_objective, reference.objective, 2e-6 * reference.objective)
          << "C = " << params.c[k] << ", class " << p;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gammas, PathOverGamma, ::testing::Values(1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1));

TEST(Path, copies_the_solution_once_nothing_is_bounded) {
  const auto set = test::some_digits(150, {0, 1, 2});
  const auto kernel = test::make_kernel(set, 0.02);
  svm::PathParams params;
  params.c = {1, 1e3, 1e4, 1e5};
  const auto solution = solve(kernel, 3, params);
  const auto coefficient = on_host(solution.coefficient);
  for (int p = 0; p < 3; ++p) {
    ASSERT_EQ(solution.fit[1 * 3 + p].bounded, 0) << "the case does not test what it should";
    for (const int k : {2, 3}) {
      EXPECT_EQ(solution.fit[k * 3 + p].iterations, 0);
      EXPECT_EQ(solution.fit[k * 3 + p].converged, 1);
      EXPECT_EQ(solution.fit[k * 3 + p].dual_objective, solution.fit[1 * 3 + p].dual_objective);
      for (int i = 0; i < set.size(); ++i) ASSERT_EQ(coefficient(k * 3 + p, i), coefficient(1 * 3 + p, i));
    }
  }
}

TEST(Path, with_keep_last_only_ends_in_the_same_machine) {
  const auto set = test::some_digits(150, {2, 7});
  const auto kernel = test::make_kernel(set, 0.01);
  svm::PathParams params;
  params.c = {0.1, 1, 10};
  const auto all = solve(kernel, 2, params);
  params.keep_last_only = true;
  const auto last = solve(kernel, 2, params);
  const auto a = on_host(all.coefficient), b = on_host(last.coefficient);
  ASSERT_EQ(b.extent(0), 2u);
  for (int p = 0; p < 2; ++p) {
    EXPECT_EQ(on_host(all.bias)(4 + p), on_host(last.bias)(p));
    for (int i = 0; i < set.size(); ++i) ASSERT_EQ(a(4 + p, i), b(p, i));
  }
}

TEST(Path, says_which_fits_ran_out_of_their_budget) {
  const auto set = test::some_digits(200, {3, 5, 8});
  const auto kernel = test::make_kernel(set, 0.001);
  svm::PathParams params;
  params.c = {1000};
  params.max_iterations = 5;
  const auto solution = solve(kernel, 3, params);
  ASSERT_TRUE(solution.complete);
  for (const svm::FitSummary& fit : solution.fit) {
    EXPECT_EQ(fit.converged, 0);
    EXPECT_EQ(fit.iterations, 5);
    EXPECT_GT(fit.violation, params.tolerance);
  }
}

TEST(Path, does_not_take_a_kernel_with_nan_for_converged) {
  const auto set = test::some_digits(50, {3, 5});
  const auto kernel = test::make_kernel(set, 0.001);
  Kokkos::deep_copy(kernel.minus_one, std::nanf(""));
  svm::PathParams params;
  params.c = {1};
  for (const svm::FitSummary& fit : solve(kernel, 2, params).fit) EXPECT_EQ(fit.converged, 0);
}

TEST(Path, ends_without_a_solution_when_it_is_stopped) {
  const auto set = test::some_digits(100, {3, 5});
  const auto kernel = test::make_kernel(set, 0.001);
  std::stop_source source;
  source.request_stop();
  svm::PathParams params;
  params.c = {1};
  params.stop = source.get_token();
  EXPECT_FALSE(solve(kernel, 2, params).complete);
}

TEST(Path, refuses_values_of_c_that_do_not_ascend) {
  const auto set = test::some_digits(20, {3, 5});
  const auto kernel = test::make_kernel(set, 0.001);
  svm::PathParams params;
  for (const std::vector<double>& c : {std::vector<double>{}, {1, 0.5}, {0, 1}, {-1}}) {
    params.c = c;
    EXPECT_THROW(solve(kernel, 2, params), Error);
  }
}

}  // namespace
}  // namespace krossfold
