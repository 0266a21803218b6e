// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krossfold/core/view.hpp"
#include "krossfold/svm/dual_problem.hpp"

namespace krossfold::svm {

struct SmoProgress {
  std::int64_t iterations = 0;
  int converged = 0;  ///< violation <= tolerance
  int stuck = 0;      ///< no pair gains anything that floating point resolves; not converged, yet finished
};

struct SmoParams {
  double c = 1;
  double tolerance = 1e-3;
  std::int64_t steps = 1000;  ///< at most this many iterations in this call
};

/// Sequential minimal optimisation on every problem that is not marked converged: one team per problem, each
/// iteration moves the pair (i, j) with i the largest gradient that can grow and j the choice of second order
/// (Fan, Chen, Lin 2005): the largest (g_i - g_j)^2 / (K_ii + K_jj - 2 K_ij) among those that can shrink with g_j < g_i.
///
/// `freedom` must be up to date. Updates beta, gradient, freedom and `progress` (P); a sequence of calls gives the
/// same bits as one call with the sum of the steps.
template <class Exec>
void smo(const Exec& exec, const DualProblems<Exec>& duals, const Vector<SmoProgress, Exec>& progress,
         const SmoParams& params);

}  // namespace krossfold::svm
