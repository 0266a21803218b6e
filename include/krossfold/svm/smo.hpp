// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"
#include "krossfold/svm/sub_problem.hpp"

namespace krossfold::svm {

/// Sequential minimal optimisation of every sub-problem whose slot sets `inner`: one team per slot, at most slot.steps
/// iterations. Each iteration moves a pair (i, j): i has the largest gradient that can grow, j is the second-order
/// choice (Fan, Chen, Lin 2005), the largest (g_i - g_j)^2 / (K_ii + K_jj - 2 K_ij) among those that can shrink with
/// g_j < g_i. Scores are compared by leading float bits (team_simd_choose), with a reciprocal accurate to 0.2 %.
///
/// `grow` and `shrink` must be up to date. Updates beta, rough, grow, shrink and the slot: next, iterations,
/// inner_violation, free, missing (the sample whose row a whole problem needs next), and inner = 0 once the violation
/// is at most inner_tolerance or no pair makes progress that floating point resolves.
/// Several calls give results bitwise identical to one call with the sum of their steps.
template <class Exec>
void smo(const Exec& exec, const SubProblems<Exec>& subs);

/// The same, but the kernel may still run when it returns. The host must not touch the slots that set `inner` before a fence.
template <class Exec>
void launch_smo(const Exec& exec, const SubProblems<Exec>& subs);

}  // namespace krossfold::svm
