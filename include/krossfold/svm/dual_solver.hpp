// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "krossfold/core/stop_signal.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/svm/dual_problem.hpp"
#include "krossfold/svm/kernel_rows.hpp"
#include "krossfold/svm/newton.hpp"
#include "krossfold/svm/sub_problem.hpp"

namespace krossfold::svm {

/// How many problems are solved side by side, and with how large sub-problems. No result depends on `slots`.
struct SolverSize {
  int slots = 1;
  int capacity = 0;      ///< most members of a working set
  int newton_limit = 0;  ///< most free members for a Newton step
};

/// Sizes that suit `problems` problems of n samples on Exec: on a CPU one slot a thread, on a device one for each problem.
template <class Exec>
SolverSize solver_size(int problems, int samples);

/// Bytes of memory that a solver of this size takes.
std::uint64_t solver_memory(const SolverSize& size, int samples);

struct SolveParams {
  double c = 1;
  double tolerance = 1e-3;                   ///< of the KKT violation
  std::int64_t max_iterations = 10'000'000;  ///< of SMO, for each problem
  StopSignal stop;                           ///< looked at every few ten milliseconds
};

/// What solve() says of a problem.
struct Progress {
  std::int64_t iterations = 0;
  bool converged = false;  ///< violation <= tolerance
};

/// Solves dual problems a few at a time, each on a working set of its own that stays from call to call.
///
/// Rounds of: find the violation; choose the working set; solve the sub-problem by SMO, with a Newton step on the free
/// members whenever the SMO since the last one has cost about as much as the step will; bring the gradient up to date. The
/// rule counts operations, never time.
template <class Exec>
class DualSolver {
public:
  DualSolver(const Exec& exec, const SolverSize& size, int samples);

  /// solve() works on problems 0 ... count - 1 from now on, count <= size().slots.
  void assign(int count);
  /// Solves the assigned problems p at C from their current state, those with follow[p] != 0. Returns false if it was
  /// stopped; the state is then still feasible. progress[p] is set for each. kernel.poll is called on the way: where it throws
  /// the state is lost, and the next call begins with assign().
  bool solve(const DualProblems<Exec>& duals, KernelRows<Exec>& kernel, const SolveParams& params,
             const std::vector<int>& follow, std::vector<Progress>& progress);
  const SolverSize& size() const { return size_; }

private:
  bool solve_sub_problems(KernelRows<Exec>& kernel, const SolveParams& params);

  Exec exec_;
  SolverSize size_;
  SubProblems<Exec> subs_;
  NewtonWork<Exec> work_;
};

}  // namespace krossfold::svm
