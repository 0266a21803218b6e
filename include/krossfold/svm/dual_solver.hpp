// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "krossfold/core/stop_signal.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/svm/dual_problem.hpp"
#include "krossfold/svm/kernel_pool.hpp"
#include "krossfold/svm/kernel_rows.hpp"
#include "krossfold/svm/newton.hpp"
#include "krossfold/svm/sub_problem.hpp"

namespace krossfold::svm {

/// The number of problems solved concurrently and the size limits of their sub-problems. No result depends on `slots` and
/// `kernel_entries`.
struct SolverSize {
  int slots = 1;
  int capacity = 0;      ///< maximum number of members of a working set
  int newton_limit = 0;  ///< maximum number of free members for a Newton step
  /// Numbers in the kernel matrices of all working sets together, at least largest_kernel(capacity); 0: that for each of them. Where
  /// not all fit, some problems wait while others are solved.
  std::size_t kernel_entries = 0;
};

/// Sizes for `problems` problems of n samples on Exec: one slot per thread on a CPU, one per problem on a device, but there only as
/// many as `room` bytes hold with a sixteenth of the largest kernel matrix for each, at least one.
template <class Exec>
SolverSize solver_size(int problems, int samples, std::uint64_t room = std::numeric_limits<std::uint64_t>::max());
/// The same for at most `slots` slots.
SolverSize solver_size_within(std::uint64_t room, int slots, int samples);

/// Bytes of memory that a solver of this size needs.
std::uint64_t solver_memory(const SolverSize& size, int samples);
/// Those of them for the matrices of working sets and of their free members, which are as large as the working set happens to be.
std::uint64_t working_set_memory(const SolverSize& size);

/// SMO iterations in one go, and the Newton step that follows them.
struct Stretch {
  std::int64_t iterations = 0;
  int free = 0;       ///< members strictly between their bounds; 0: no Newton step
  double newton = 0;  ///< the sum of factor_cost() over the factorisations of that step
};

/// What one round did for one problem. A model of the time on another machine is fed with these (bench/rounds.cpp).
struct Round {
  int problem = 0;
  int members = 0;  ///< of the working set, or of a whole problem: all samples
  bool whole = false;
  int fresh = 0;    ///< members whose rows of K_WW were copied from the kernel matrix
  int changed = 0;  ///< samples whose rows of the kernel matrix the gradient of all samples was updated from
  std::vector<Stretch> stretch;
};

struct SolveParams {
  double c = 1;
  double tolerance = 1e-3;                   ///< of the KKT violation
  std::int64_t max_iterations = 10'000'000;  ///< SMO iterations per problem
  /// Ends a problem, too, once the duality gap is at most this share of the primal objective: no solution has a
  /// primal objective P below 1 - gap of it. With a bias b,
  ///   P - W = sum_i C w_i max(0, y_i (g_i - b)) - beta_i (g_i - b).  0: never.
  double gap = 0;
  StopSignal stop;                             ///< checked every few tens of milliseconds
  bool resume = false;                         ///< go on from the iterations and the cost in `progress`
  std::function<void(const Round&)> record{};  ///< called after each round of each problem; may be empty
};

/// What solve() reports for one problem.
struct Progress {
  std::int64_t iterations = 0;
  bool converged = false;  ///< violation <= tolerance, or the duality gap is small enough
  /// With which the duality gap was small enough; NaN: the violation is within the tolerance.
  double bias = std::numeric_limits<double>::quiet_NaN();
  double cost = 0;  ///< what was done for it at this C, in the unit of newton_cost()
  double budget =
      std::numeric_limits<double>::infinity();  ///< set by the caller: solve() gives the problem up beyond that cost
  bool given_up = false;
};

/// Solves several dual problems concurrently, each on its own working set, which persists from call to call.
///
/// Each round finds the violation, chooses the working set, solves the sub-problem by SMO, and updates the gradient.
/// SMO is interleaved with Newton steps on the free members, one whenever the SMO work since the last step is
/// comparable to the cost of the next, of which a device counts a fiftieth. The rule counts operations, never time, so that
/// runs are reproducible.
template <class Exec>
class DualSolver {
public:
  DualSolver(const Exec& exec, const SolverSize& size, int samples);

  /// Makes later calls of solve() work on problems 0 ... count - 1, count <= size().slots.
  void assign(int count);
  /// Solves the assigned problems p with follow[p] != 0 at C, starting from their current state, and sets their
  /// progress[p]. Returns false if it was stopped; the state is then still feasible. Calls kernel.poll regularly; if
  /// that throws, the state is lost and assign() must precede the next call. Throws a run error if kernel_entries is too small.
  bool solve(const DualProblems<Exec>& duals, KernelRows<Exec>& kernel, const SolveParams& params,
             const std::vector<int>& follow, std::vector<Progress>& progress);
  const SolverSize& size() const { return size_; }

private:
  bool solve_sub_problems(KernelRows<Exec>& kernel, const SolveParams& params);
  void place_kernels();
  void begin_records(const SolveParams& params);
  void record_rounds(const SolveParams& params);

  Exec exec_, newton_exec_;  ///< the second for Newton steps, which some problems take while others go on with SMO
  SolverSize size_;
  KernelPool pool_;
  std::vector<Round> round_;  ///< (slot): the present one, where they are recorded
  std::vector<int> waiting_;  ///< (slot): 1 if there was no place for the kernel matrix of its working set
  SubProblems<Exec> subs_;
  NewtonWork<Exec> work_;
};

}  // namespace krossfold::svm
