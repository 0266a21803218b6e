// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "krossfold/core/stop_signal.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/svm/dual_problem.hpp"
#include "krossfold/svm/dual_solver.hpp"
#include "krossfold/svm/precise_kernel.hpp"

namespace krossfold::svm {

/// The samples whose decision values are wanted; they have the sign 0 in every problem that they are listed for. Either one list for
/// all problems, or, where the problems of several folds are solved together, `lists` lists of equal length, the l-th for problems
/// l P / lists, ..., (l + 1) P / lists - 1 of P. A shorter list ends with -1, whose decision value is 0.
template <class Exec>
struct Outside {
  Vector<const int, Exec> sample;  ///< (list * width + k)
  int lists = 1;

  Outside() = default;
  template <class List>
    requires std::is_convertible_v<List, Vector<const int, Exec>> Outside(
        const List& samples, int count = 1)  // NOLINT(google-explicit-constructor): one list is the usual case
        : sample(samples), lists(count) {}
    int width() const { return static_cast<int>(sample.extent(0)) / lists; }
};

struct PathParams {
  std::vector<double> c;                     ///< ascending, positive
  double tolerance = 1e-3;                   ///< of the KKT violation
  std::int64_t max_iterations = 10'000'000;  ///< a fit that needs more is left unconverged
  StopSignal stop;                           ///< checked every few tens of milliseconds
  std::function<void()> advanced;            ///< called whenever more problems are complete; may be empty
  double gap = 0;                            ///< see SolveParams
  /// See SolveParams; the index of C, and the problem counted from the first of the path.
  std::function<void(int, const Round&)> record{};
};

/// The machines of one training set for every C.
template <class Exec>
struct PathSolution {
  int done = 0;                 ///< problems 0 ... done - 1 are complete; the entries of the others are undefined
  std::vector<FitSummary> fit;  ///< (C index * problems + problem)
  Matrix<double, Exec>
      decision;  ///< (C index * problems + problem, k): decision value of sample k of its list in Outside
  Matrix<double, Exec> coefficient;  ///< (problem, sample): beta at the last C

  bool complete() const { return done == static_cast<int>(coefficient.extent(0)); }
};

/// An empty path of `steps` values of C.
template <class Exec>
PathSolution<Exec> begin_path(int problems, int steps, int samples, int outside);

/// Solves P binary problems along ascending C, warm-starting each C from the scaled solution of the previous one
/// (scale_to). Once a problem has no variable at its upper bound, its solution holds for every larger C.
/// sign: P x n, see DualProblems.
/// Continues after the first solution.done problems and returns early once a stop is requested. A problem's path is
/// bitwise identical however often it is resumed. Solves solver.size().slots problems at a time.
/// weight: (n), the samples' weights (see DualProblems), or empty for 1.
/// kernel: its values are those of KernelForm; C and the results are those of the kernel function itself.
/// precise: the same kernel in double; with it no problem costs much more than the interior-point method would, which takes over
/// where SMO is long (docs/solver.md). Without it SMO alone solves all problems.
/// Throws a run error if C is not ascending and positive, or if the solution has other sizes.
template <class Exec>
void continue_path(const Exec& exec, DualSolver<Exec>& solver, KernelRows<Exec>& kernel,
                   const Matrix<const std::int8_t, Exec>& sign, const Outside<Exec>& outside, const PathParams& params,
                   PathSolution<Exec>& solution, const Vector<const double, Exec>& weight = {},
                   PreciseKernel<Exec>* precise = nullptr);

/// Solves a path from the beginning.
template <class Exec>
PathSolution<Exec> solve_path(const Exec& exec, DualSolver<Exec>& solver, KernelRows<Exec>& kernel,
                              const Matrix<const std::int8_t, Exec>& sign, const Outside<Exec>& outside,
                              const PathParams& params, const Vector<const double, Exec>& weight = {},
                              PreciseKernel<Exec>* precise = nullptr);

/// Problems first, ..., first + count - 1 of a complete path as a path of their own, with the first `outside` decision values of each.
template <class Exec>
PathSolution<Exec> part_of_path(const Exec& exec, const PathSolution<Exec>& path, int first, int count, int outside);

}  // namespace krossfold::svm
