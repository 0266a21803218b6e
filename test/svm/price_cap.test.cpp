// SPDX-License-Identifier: BSD-3-Clause
// What a path over C does with the kernel in double: src/svm/path/price_cap.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "krossfold/svm/interior_point.hpp"
#include "krossfold/svm/path.hpp"
#include "krossfold/svm/price.hpp"
#include "test/svm/checked_solution.hpp"
#include "test/svm/overlapping.hpp"
#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

using test::check;
using test::Checked;
using test::row_of;

/// A path over C, with the kernel in double or without. places: see svm::PreciseKernel.
svm::PathSolution<Device> path_of(const test::Overlapping& set, double gamma, const svm::PathParams& params,
                                  svm::PreciseKernel<Device>* kernel) {
  const Matrix<float> minus_one("minus_one", set.size(), set.size());
  const std::vector<double> exact = set.exact(gamma);
  for (int i = 0; i < set.size(); ++i) {
    for (int j = 0; j < set.size(); ++j) {
      minus_one(i, j) = static_cast<float>(exact[static_cast<std::size_t>(i) * set.size() + j] - 1.0);
    }
  }
  svm::WholeKernel<Device> rows(Device(), test::make_kernel(minus_one).minus_one);
  svm::DualSolver<Device> solver(Device(), svm::solver_size<Device>(1, set.size()), set.size());
  return svm::solve_path<Device>(Device(), solver, rows, test::signs_of({set.y}), Vector<const int, Device>(), params,
                                 {}, kernel);
}

svm::PathSolution<Device> path_of(const test::Overlapping& set, double gamma, const svm::PathParams& params,
                                  bool capped, int places = 0) {
  auto kernel = set.kernel(gamma, places);
  return path_of(set, gamma, params, capped ? &kernel : nullptr);
}

TEST(PriceCap, EveryFitOfAPathConvergesWhateverCIs) {
  const test::Overlapping set(300, 2, 10);
  svm::PathParams params, large;
  params.c = {0.1, 1, 10, 1e3, 1e5, 1e6};
  large.c = {1e5, 1e6};  // nothing is free at first, so that no path of the active set can begin
  int interior = 0;
  for (const double gamma : {0.01, 0.3, 20.0}) {
    SCOPED_TRACE(gamma);
    for (const svm::FitSummary& fit : path_of(set, gamma, large, true).fit) {
      EXPECT_EQ(fit.converged, 1);
      interior += fit.interior_steps > 0 ? 1 : 0;
    }
    const auto path = path_of(set, gamma, params, true);
    for (std::size_t k = 0; k < params.c.size(); ++k) {
      const svm::FitSummary& fit = path.fit[k];
      EXPECT_EQ(fit.converged, 1) << params.c[k];
      EXPECT_LE(fit.violation, 1e-3) << params.c[k];
      EXPECT_EQ(fit.interior_steps > 0, fit.rank > 0);
      interior += fit.interior_steps > 0 ? 1 : 0;
    }
    const std::vector<double> exact = set.exact(gamma);
    const Checked found = check(exact, set.y, row_of(path.coefficient), std::vector<double>(300, 1e6));
    EXPECT_LE(found.violation, 1.1e-3);
  }
  EXPECT_GT(interior, 0);
}

TEST(PriceCap, looks_at_rows_of_the_factor_only_where_the_bill_pays_for_them) {
  const test::Overlapping set(300, 2, 10);
  svm::PathParams params;
  params.c = {1e3, 1e4};
  const auto rows_of = [&](double features) {
    svm::PreciseKernel<Device> kernel(Device(), set.size(), features, [&] { return set.points(); });
    kernel.set_gamma(0.3);
    for (const svm::FitSummary& fit : path_of(set, 0.3, params, &kernel).fit) EXPECT_EQ(fit.converged, 1);
    return kernel.factor().extent(0);
  };
  EXPECT_GT(rows_of(2), 0u);
  EXPECT_EQ(rows_of(1e12), 0u) << "a row costs more than all the rest";
}

TEST(PriceCap, no_fit_costs_more_than_three_times_its_price) {
  const test::Overlapping set(400, 2, 11);
  svm::PathParams params;
  for (int k = -2; k <= 12; ++k) params.c.push_back(std::pow(10.0, 0.5 * k));
  for (const double gamma : {0.01, 0.3, 20.0}) {
    auto kernel = set.kernel(gamma);
    const auto path = path_of(set, gamma, params, true);
    int worked = 0;
    for (std::size_t k = 0; k < params.c.size(); ++k) {
      const int rank =
          kernel.rank_for(svm::factor_tolerance(params.c[k]), svm::PreciseKernel<Device>::max_rank(set.size()));
      EXPECT_LE(path.fit[k].operations, 3 * svm::price_of(set.size(), rank)) << gamma << ' ' << params.c[k];
      worked += path.fit[k].operations > 0 ? 1 : 0;
    }
    EXPECT_GE(worked, 8) << gamma;
  }
}

TEST(PriceCap, SolutionsOfSmoAreThoseOfTheKernelInDouble) {
  const test::Overlapping set(300, 2, 13);
  svm::PathParams params;
  params.c = {100, 1e4, 1e6};
  params.tolerance = 1e-5;
  const double gamma = 4;
  const auto alone = path_of(set, gamma, params, false), capped = path_of(set, gamma, params, true);
  const std::vector<double> exact = set.exact(gamma), upper(300, 1e6);
  ASSERT_EQ(capped.fit[2].interior_steps, 0);
  ASSERT_EQ(alone.fit[2].converged, 1);
  const Checked of_float = check(exact, set.y, row_of(alone.coefficient), upper),
                of_double = check(exact, set.y, row_of(capped.coefficient), upper);
  EXPECT_GT(of_float.violation, 1e-2) << "the rounding of K does not show: the test proves nothing";
  EXPECT_LE(of_double.violation, 1.1e-5);
  EXPECT_NEAR(capped.fit[2].dual_objective, of_double.objective, 1e-9 * of_double.objective);
}

TEST(PriceCap, AgreesWithSmoWhereThatConverges) {
  const test::Overlapping set(300, 2, 11);
  svm::PathParams params;
  params.c = {1, 30, 1000};
  const auto alone = path_of(set, 0.05, params, false), capped = path_of(set, 0.05, params, true);
  for (std::size_t k = 0; k < 3; ++k) {
    ASSERT_EQ(alone.fit[k].converged, 1);
    EXPECT_EQ(alone.fit[k].interior_steps, 0);
    EXPECT_NEAR(capped.fit[k].dual_objective, alone.fit[k].dual_objective, 1e-4 * alone.fit[k].dual_objective);
    EXPECT_NEAR(capped.fit[k].bias, alone.fit[k].bias, 5e-3);
  }
}

/// Above that size a path of the active set takes rows of K as it needs them.
TEST(PriceCap, FollowsPathsOfMoreSamplesThanHaveTheirKernelWhole) {
  const test::Overlapping set(4200, 2, 14);
  ASSERT_FALSE(svm::PreciseKernel<Device>::may_be_whole(set.size()));
  svm::PathParams params;
  params.c = {1, 10, 100};
  const auto alone = path_of(set, 2, params, false), capped = path_of(set, 2, params, true),
             fewer = path_of(set, 2, params, true, 450);
  const std::vector<double> exact = set.exact(2);
  EXPECT_LT(2 * capped.fit[2].iterations, alone.fit[2].iterations) << "no path was followed";
  EXPECT_LE(check(exact, set.y, row_of(capped.coefficient), std::vector<double>(set.y.size(), 100)).violation, 1.1e-3);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(capped.fit[k].converged, 1);
    EXPECT_NEAR(capped.fit[k].dual_objective, alone.fit[k].dual_objective, 1e-4 * alone.fit[k].dual_objective);
    EXPECT_EQ(fewer.fit[k].dual_objective, capped.fit[k].dual_objective);
    EXPECT_EQ(fewer.fit[k].iterations, capped.fit[k].iterations);
  }
  EXPECT_EQ(row_of(fewer.coefficient), row_of(capped.coefficient));
}

/// From C = 0.001 to ten million nothing is bounded any more: the start, scaled by 1e10, has coefficients of millions, and a path of
/// the active set is given up on the way back.
TEST(PriceCap, from_a_start_far_too_large_it_comes_to_the_solution_with_a_gradient_that_belongs_to_it) {
  struct {
    int features;
    double gamma;
    unsigned seed;
  } const cases[] = {{2, 0.3, 1}, {2, 0.3, 2}, {2, 0.03, 2}, {8, 0.03, 1}, {8, 0.03, 2}};
  for (const auto& [features, gamma, seed] : cases) {
    constexpr int n = 240;
    test::Overlapping set(n, features, seed);
    for (int i = 0; i < n; i += 3) set.y[i] = 1;
    auto precise = set.kernel(gamma);
    const std::vector<double> exact = set.exact(gamma);
    const auto minus_one = padded_matrix<float, Device>("krossfold::test::kernel", n, n);
    const auto host = host_mirror(minus_one);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) host(i, j) = static_cast<float>(exact[static_cast<std::size_t>(i) * n + j] - 1);
    }
    copy_into(minus_one, host);
    svm::DualSolver<Device> solver(Device(), svm::solver_size<Device>(1, n), n);
    svm::WholeKernel<Device> rows(Device(), minus_one);
    svm::PathParams params;
    params.c = {1e-3, 1e7};
    params.tolerance = 1e-5;
    const auto solution = svm::solve_path<Device>(Device(), solver, rows, test::signs_of({set.y}),
                                                  Vector<int, Device>(), params, {}, &precise);
    const auto found = test::check(exact, set.y, test::row_of(solution.coefficient), std::vector<double>(n, 1e7));
    EXPECT_LE(found.violation, 1.5e-5) << features << ' ' << gamma << ' ' << seed;
    EXPECT_NEAR(solution.fit[1].dual_objective, found.objective, 1e-6 * found.objective);
  }
}

/// (P - W) / P by the definition of both.
double gap_of(const std::vector<double>& kernel, const std::vector<int>& y, const std::vector<double>& beta,
              double bias, double c) {
  const std::size_t n = y.size();
  double square = 0, loss = 0, dual = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double f = 0;
    for (std::size_t j = 0; j < n; ++j) f += kernel[i * n + j] * beta[j];
    square += 0.5 * beta[i] * f;
    dual += y[i] * beta[i];
    loss += std::max(0.0, 1 - y[i] * (f + bias));
  }
  const double primal = square + c * loss;
  return (primal - (dual - square)) / primal;
}

TEST(PriceCap, ends_at_the_duality_gap_that_is_enough) {
  const test::Overlapping set(600, 2, 5);
  for (const double gamma : {0.1, 2.0}) {
    auto precise = set.kernel(gamma);
    const std::vector<double> exact = set.exact(gamma);
    const Matrix<float> minus_one("krossfold::test::minus_one", 600, 600);
    for (int i = 0; i < 600; ++i) {
      for (int j = 0; j < 600; ++j)
        minus_one(i, j) = static_cast<float>(exact[static_cast<std::size_t>(i) * 600 + j] - 1);
    }
    const auto kernel = test::make_kernel(minus_one);
    for (const double c : {0.1, 10.0, 1000.0}) {
      std::int64_t least = 0;
      for (const double gap : {0.0, 1e-4, 1e-2}) {
        svm::DualSolver<Device> solver(Device(), svm::solver_size<Device>(1, 600), 600);
        svm::WholeKernel<Device> rows(Device(), kernel.minus_one);
        svm::PathParams params;
        params.c.push_back(c);
        params.gap = gap;
        const auto solution = svm::solve_path<Device>(Device(), solver, rows, test::signs_of({set.y}),
                                                      Vector<int, Device>(), params, {}, &precise);
        const svm::FitSummary& fit = solution.fit[0];
        EXPECT_EQ(fit.converged, 1);
        const double found = gap_of(exact, set.y, test::row_of(solution.coefficient), fit.bias, c);
        EXPECT_LE(found, gap > 0 ? 1.01 * gap : 1e-2) << gamma << " " << c;
        EXPECT_GE(found, -1e-6);
        if (gap == 0) least = fit.iterations;
        if (gap == 1e-2) {
          EXPECT_LE(fit.iterations, least) << gamma << " " << c;
        }
      }
    }
  }
}

}  // namespace
}  // namespace krossfold
