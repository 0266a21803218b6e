// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/svm/dual_problem.hpp"
#include "krossfold/svm/precise_kernel.hpp"

namespace krossfold::svm {

/// More free variables than this make a path too expensive.
inline constexpr int largest_active_set = 1024;

struct ActiveSetParams {
  double c = 1;
  double tolerance = 1e-3;                                    ///< of the KKT violation
  int max_free = largest_active_set;                          ///< gives up with more free variables
  int max_events = 10'000;                                    ///< gives up after so many changes
  double max_cost = std::numeric_limits<double>::infinity();  ///< gives up beyond that, in the unit of newton_cost()
  Poll poll{};  ///< called every few milliseconds; if it throws, beta and gradient are of no use any more
};

struct ActiveSetFit {
  int events = 0;
  int free = 0;           ///< free variables in the end
  bool complete = false;  ///< the path was followed to its end
  double cost = 0;        ///< in the unit of newton_cost()
};

/// Solves problem p of `duals` at C from any feasible beta by following the solution of a problem that changes into the wanted one
/// (the online active set strategy: Ferreau, Bock, Diehl, Int. J. Robust Nonlinear Control 18 (2008) 816; for paths over C: Hastie,
/// Rosset, Tibshirani, Zhu, JMLR 5 (2004) 1391). For suitable s, beta is the exact solution if g + s takes the place of g:
///
///   g_i + (1 - t) s_i = b where beta_i is free,  >= b where it cannot grow,  <= b where it cannot shrink,  t = 0 -> 1.
///
/// Between two events, the free beta_F and b change linearly with t: K_FF d + b' 1 = -s_F, 1^T d = 0. An event is a free variable
/// that meets a bound, or one at its bound whose inequality becomes an equation. The inverse of K_FF is updated at each event in
/// |F|^2 operations, and n |F| give the slopes of g. A path from C to 10 C takes some n / 3 to n events, whatever C is.
///
/// K_FF + rho 1 with rho = 0.1 tolerance / C takes the place of K_FF (a proximal point term around the given beta), so that free
/// samples may be equal; and every variable at its bound has a small distance of its own from becoming free, so that events of equal
/// samples come one after the other. Both change g by less than half the tolerance. Needs PreciseKernel::places(): the free variables and
/// the events of a stretch at once have rows of K.
///
/// Changes beta, and the gradient of all samples by -K times that change, in double; whether the violation is within the tolerance is
/// the caller's to see. beta is feasible, and mostly better than before, if the path was not complete.
template <class Exec>
ActiveSetFit follow_active_set(const Exec& exec, const DualProblems<Exec>& duals, int problem,
                               PreciseKernel<Exec>& kernel, const ActiveSetParams& params);

/// Bytes for one path of a problem with so many of the samples.
std::uint64_t active_set_memory(int samples, int members);

/// What an event with so many free variables costs, and what a stretch of events takes once, in the unit of newton_cost().
KOKKOS_INLINE_FUNCTION double step_cost(int free) {
  const double f = free;
  return 8 * f * f + 300 * f + 65000;
}
KOKKOS_INLINE_FUNCTION double stretch_cost(int free, int samples) {
  const double f = free, n = samples;
  return 3 * f * n + 60 * n + 12 * f * f + 200 * f;
}
/// The mean cost of an event.
KOKKOS_INLINE_FUNCTION double event_cost(int free, int samples) {
  return step_cost(free) + stretch_cost(free, samples) / 16;
}

}  // namespace krossfold::svm
