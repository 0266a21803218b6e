// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "krossfold/core/stop_signal.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/svm/dual_problem.hpp"
#include "krossfold/svm/dual_solver.hpp"

namespace krossfold::svm {

struct PathParams {
  std::vector<double> c;                     ///< ascending, positive
  double tolerance = 1e-3;                   ///< of the KKT violation
  std::int64_t max_iterations = 10'000'000;  ///< a fit that needs more ends unconverged
  StopSignal stop;                           ///< looked at every few ten milliseconds
  std::function<void()> advanced;            ///< called whenever more problems are complete; may be empty
};

/// The machines of one training set for every C.
template <class Exec>
struct PathSolution {
  int done = 0;                      ///< problems 0 ... done - 1 are complete; of the others nothing is known
  std::vector<FitSummary> fit;       ///< (C index * problems + problem)
  Matrix<double, Exec> decision;     ///< (C index * problems + problem, k): decision value of sample outside[k]
  Matrix<double, Exec> coefficient;  ///< (problem, sample): beta at the last C

  bool complete() const { return done == static_cast<int>(coefficient.extent(0)); }
};

/// A path of so many values of C with nothing done.
template <class Exec>
PathSolution<Exec> begin_path(int problems, int steps, int samples, int outside);

/// Solves P binary problems along ascending C, each C started from the scaled solution of the one before (scale_to). Once a
/// problem has nothing at its bound its solution is that of every larger C.
/// sign: P x n, see DualProblems; outside: samples of sign 0 in every problem whose decision values are wanted.
/// Goes on after the first solution.done problems, and ends early once a stop is requested. A problem's path has the same bits
/// whatever was computed before it and in how many goes. On a CPU it does one problem a thread after the other, on a device all.
/// Throws a run error if C is not ascending and positive, or if the solution has other sizes.
template <class Exec>
void continue_path(const Exec& exec, DualSolver<Exec>& solver, KernelRows<Exec>& kernel,
                   const Matrix<const std::int8_t, Exec>& sign, const Vector<const int, Exec>& outside,
                   const PathParams& params, PathSolution<Exec>& solution);

/// The same from the beginning.
template <class Exec>
PathSolution<Exec> solve_path(const Exec& exec, DualSolver<Exec>& solver, KernelRows<Exec>& kernel,
                              const Matrix<const std::int8_t, Exec>& sign, const Vector<const int, Exec>& outside,
                              const PathParams& params);

}  // namespace krossfold::svm
