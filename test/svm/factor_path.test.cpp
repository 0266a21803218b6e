// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/factor_path.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stop_token>
#include <vector>

#include "krossfold/svm/interior_point.hpp"
#include "test/svm/checked_solution.hpp"
#include "test/svm/overlapping.hpp"

namespace krossfold {
namespace {

using test::Checked;

constexpr int samples = 300;

svm::PathParams path_over(std::vector<double> c) {
  svm::PathParams params;
  params.c = std::move(c);
  return params;
}

/// The coefficients of problem p of a path.
std::vector<double> beta_of(const svm::PathSolution<Device>& solution, int p) {
  const auto beta = on_host(solution.coefficient);
  return {&beta(p, 0), &beta(p, 0) + beta.extent(1)};
}

TEST(FactorPath, HasTheSolutionsOfTheKernelMatrixItself) {
  for (const double gamma : {0.01, 0.3}) {
    for (const double c : {0.1, 10.0, 1e4}) {
      const test::Overlapping set(samples, 2, 7);
      const std::vector<double> exact = set.exact(gamma);
      auto kernel = set.kernel(gamma);
      const auto sign = test::problem_of(set.y).sign;
      auto solution = svm::begin_path<Device>(1, 1, samples, 0);
      svm::continue_factor_path<Device>(Device(), kernel, 256, sign, {}, path_over({c}), solution);
      ASSERT_TRUE(solution.complete());
      const svm::FitSummary& fit = solution.fit[0];
      EXPECT_EQ(fit.converged, 1) << gamma << " " << c;
      EXPECT_GT(fit.rank, 0);
      EXPECT_LT(fit.rank, samples / 2);
      const Checked found = test::check(exact, set.y, beta_of(solution, 0), std::vector<double>(samples, c));
      EXPECT_LE(found.violation, 2e-3) << gamma << " " << c;
      EXPECT_NEAR(fit.dual_objective, found.objective, 2e-6 * found.objective);
      // What is said of the errors holds.
      EXPECT_GE(fit.objective_error * fit.dual_objective * (1 + 1e-9), std::abs(fit.dual_objective - found.objective));
    }
  }
}

TEST(FactorPath, TakesABetterFactorWhereTheGradientErrsByMoreThanTheTolerance) {
  int better = 0;
  for (const double gamma : {0.01, 0.1, 0.3}) {
    for (const double c : {1.0, 1e3}) {
      const test::Overlapping set(samples, 2, 7);
      auto kernel = set.kernel(gamma);
      const auto sign = test::problem_of(set.y).sign;
      auto params = path_over({c});
      params.tolerance = 1e-6;
      auto solution = svm::begin_path<Device>(1, 1, samples, 0);
      svm::continue_factor_path<Device>(Device(), kernel, 256, sign, {}, params, solution);
      const svm::FitSummary& fit = solution.fit[0];
      EXPECT_EQ(fit.converged, 1) << gamma << " " << c;
      EXPECT_LE(fit.gradient_error, 1e-6);
      better += fit.rank > kernel.rank_for(svm::factor_tolerance(c), 256) ? 1 : 0;
      const Checked found = test::check(set.exact(gamma), set.y, beta_of(solution, 0), std::vector<double>(samples, c));
      EXPECT_LE(found.violation, 3e-6) << gamma << " " << c;
    }
  }
  EXPECT_GT(better, 0) << "the first factor was good enough: the test shows nothing";
}

TEST(FactorPath, SaysHowFarTooSmallARankIsOff) {
  const test::Overlapping set(samples, 2, 7);
  const std::vector<double> exact = set.exact(0.3);
  auto kernel = set.kernel(0.3);
  const auto sign = test::problem_of(set.y).sign;
  auto solution = svm::begin_path<Device>(1, 1, samples, 0);
  svm::continue_factor_path<Device>(Device(), kernel, 12, sign, {}, path_over({100}), solution);
  const svm::FitSummary& fit = solution.fit[0];
  EXPECT_EQ(fit.rank, 12);
  EXPECT_EQ(fit.converged, 0);
  const std::vector<double> beta = beta_of(solution, 0);
  const Checked found = test::check(exact, set.y, beta, std::vector<double>(samples, 100));
  EXPECT_GE(fit.objective_error * fit.dual_objective, fit.dual_objective - found.objective);
  EXPECT_GT(fit.dual_objective - found.objective, 0);  // the factor's K is below K
  EXPECT_GT(fit.gradient_error, 1e-3);
  EXPECT_LE(found.violation, fit.violation + 2 * 1.5 * fit.gradient_error);
}

TEST(FactorPath, GivesDecisionsOfSamplesLeftOutAndGoesOnWhereItWasStopped) {
  test::Overlapping set(samples, 3, 8);
  std::vector<int> left;
  for (int i = 0; i < samples; i += 5) {
    set.y[i] = 0;
    left.push_back(i);
  }
  const std::vector<double> exact = set.exact(0.05);
  const auto one = test::problem_of(set.y).sign;
  // The same problem twice, of which the first is done when the path is stopped.
  const Matrix<std::int8_t, Device> sign("sign", 2, samples);
  for (int p = 0; p < 2; ++p)
    Kokkos::deep_copy(Kokkos::subview(sign, p, Kokkos::ALL), Kokkos::subview(one, 0, Kokkos::ALL));
  const auto outside = list_on<Device>("outside", left);
  auto kernel = set.kernel(0.05);
  auto solution = svm::begin_path<Device>(2, 3, samples, static_cast<int>(left.size()));
  std::stop_source stop;
  svm::PathParams params = path_over({0.1, 10, 1000});
  params.stop = StopSignal(stop.get_token());
  params.advanced = [&] { stop.request_stop(); };
  EXPECT_THROW(svm::continue_factor_path<Device>(Device(), kernel, 256, sign, outside, params, solution), Stopped);
  EXPECT_EQ(solution.done, 1);
  params.stop = {};
  params.advanced = {};
  svm::continue_factor_path<Device>(Device(), kernel, 256, sign, outside, params, solution);
  ASSERT_TRUE(solution.complete());
  EXPECT_EQ(beta_of(solution, 0), beta_of(solution, 1));
  const auto decision = on_host(solution.decision);
  const std::vector<double> beta = beta_of(solution, 1);
  for (std::size_t k = 0; k < left.size(); ++k) {
    double value = solution.fit[2 * 2 + 1].bias;
    for (int j = 0; j < samples; ++j) value += exact[static_cast<std::size_t>(left[k]) * samples + j] * beta[j];
    EXPECT_NEAR(decision(5, k), value, 1e-4) << k;
    EXPECT_EQ(decision(4, k), decision(5, k));
  }
}

}  // namespace
}  // namespace krossfold
