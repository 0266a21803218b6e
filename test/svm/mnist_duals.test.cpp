// SPDX-License-Identifier: BSD-3-Clause
// Compares dual objectives of real problems with a plain solver and kernel in double. Takes minutes: runs only if
// KROSSFOLD_LONG_TESTS is set.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "krossfold/core/error.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/svm/path.hpp"
#include "test/svm/reference_solver.hpp"
#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

class MnistDuals : public ::testing::TestWithParam<int> {};

// 8 values each of C and gamma over the default grid, the first 2,000 samples of MNIST, one-vs-rest, two tolerances.
TEST_P(MnistDuals, are_those_of_a_plain_double_precision_solver) {
  if (std::getenv("KROSSFOLD_LONG_TESTS") == nullptr) GTEST_SKIP() << "takes minutes: set KROSSFOLD_LONG_TESTS";
  data::Dataset set;
  try {
    set = input::load_task({.train = "mnist", .limit = 2000}).train;
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  const double gamma = std::pow(10.0, -6 + GetParam() * 4.0 / 7);
  const int n = set.size(), classes = set.classes();
  const auto kernel = test::make_kernel(set, gamma);
  svm::PathParams params;
  for (int k = 0; k < 8; ++k) params.c.push_back(std::pow(10.0, -3 + k * 9.0 / 7));
  svm::DualSolver<Device> solver(Device(), svm::solver_size<Device>(classes, n), n);
  svm::WholeKernel<Device> rows(Device(), kernel.minus_one);
  const auto sign = test::one_vs_rest(kernel.label, classes);
  params.tolerance = 1e-3;
  const auto usual = svm::solve_path<Device>(Device(), solver, rows, sign, Vector<const int, Device>(), params);
  params.tolerance = 1e-6;
  const auto tight = svm::solve_path<Device>(Device(), solver, rows, sign, Vector<const int, Device>(), params);
  double worst_usual = 0, worst_tight = 0;
  int beyond = 0;
  for (int p = 0; p < classes; ++p) {
    std::vector<int> y(n);
    for (int i = 0; i < n; ++i) y[i] = set.label(i) == p ? 1 : -1;
    std::vector<double> start;
    for (std::size_t k = 0; k < params.c.size(); ++k) {
      const auto reference = test::solve_reference(kernel.exact, y, params.c[k], 1e-7, start);
      ASSERT_LE(reference.violation, 1e-7) << "the reference itself did not converge";
      const auto off = [&](const svm::PathSolution<Device>& solution) {
        const svm::FitSummary& fit = solution.fit[k * classes + p];
        EXPECT_EQ(fit.converged, 1);
        return std::abs(fit.dual_objective / reference.objective - 1);
      };
      // The accuracy of a float kernel: one ulp of K moves the optimum by up to this at C = 10^6, gamma = 10^-6.
      EXPECT_LE(off(tight), 4e-6) << "C = " << params.c[k] << ", class " << p;
      beyond += off(tight) > 2e-6 ? 1 : 0;
      worst_usual = std::max(worst_usual, off(usual));
      worst_tight = std::max(worst_tight, off(tight));
      start = reference.alpha;
      for (double& alpha : start) alpha *= k + 1 < params.c.size() ? params.c[k + 1] / params.c[k] : 1.0;
    }
  }
  std::printf("gamma %.2e: largest relative difference %.1e at tolerance 1e-6 (%d of 80 above 2e-6), %.1e at 1e-3\n",
              gamma, worst_tight, beyond, worst_usual);
}

INSTANTIATE_TEST_SUITE_P(Gammas, MnistDuals, ::testing::Range(0, 8));

}  // namespace
}  // namespace krossfold
