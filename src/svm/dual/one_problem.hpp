// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "krossfold/core/simd.hpp"
#include "sub_problem_rows.hpp"

namespace krossfold::svm {

/// Raw pointers to one sub-problem, for the inner loops.
struct OneProblem {
  const float* kernel;
  std::size_t stride;
  const KernelRow* rows;  ///< null unless the sub-problem is a whole problem
  double* beta;
  float* gradient;  ///< SubProblems::rough
  const float *grow, *shrink;
  const double* bound;
  int places, mask;

  KOKKOS_INLINE_FUNCTION OneProblem(const MemberRows& subs, int s)
      : kernel(subs.kernel(s)),
        stride(static_cast<std::size_t>(subs.slot(s).stride)),
        rows(subs.slot(s).whole != 0 ? subs.row : nullptr),
        beta(&subs.beta(s, 0)),
        gradient(&subs.rough(s, 0)),
        grow(&subs.grow(s, 0)),
        shrink(&subs.shrink(s, 0)),
        bound(&subs.bound(s, 0)),
        places(svm::places(size_of(subs.slot(s), subs.samples))),
        mask(index_mask(places)) {}
  KOKKOS_INLINE_FUNCTION const float* row(int i) const {
    return rows != nullptr ? rows[i].value : kernel + static_cast<std::size_t>(i) * stride;
  }
  KOKKOS_INLINE_FUNCTION double upper(int i) const { return upper_bound(bound[i]); }
  KOKKOS_INLINE_FUNCTION double lower(int i) const { return lower_bound(bound[i]); }
};

/// K_ii + K_jj - 2 K_ij from K - 1, kept away from 0 for coinciding samples.
KOKKOS_INLINE_FUNCTION double curvature(float kernel_minus_one) {
  const double a = -2.0 * static_cast<double>(kernel_minus_one);
  return a > 1e-12 ? a : 1e-12;
}

/// How far a pair with these gradients and K - 1 between its members moves: to the optimum of the pair, or to the nearer bound.
KOKKOS_INLINE_FUNCTION double step_length(float g_i, float g_j, float kernel_minus_one, double room_i, double room_j) {
  double t = static_cast<double>(g_i - g_j) / curvature(kernel_minus_one);
  t = t < room_i ? t : room_i;
  return t < room_j ? t : room_j;
}

/// 1 / a to 0.2 % for normal a > 0: an initial guess from the exponent and one Newton step. A division would dominate
/// the time of the loop.
KOKKOS_INLINE_FUNCTION float rough_reciprocal(float a) {
  const float guess = std::bit_cast<float>(0x7EF311C3 - std::bit_cast<int>(a));
  return guess * (2.0f - a * guess);
}

/// The first member with exactly the largest gradient that can grow; -1 if none can or all gradients are NaN.
template <class Member>
KOKKOS_INLINE_FUNCTION int find_largest(const Member& member, const OneProblem& q) {
  const Largest high = team_simd_largest(
      member, q.places, [=](int k) { return q.grow[k] != 0 ? static_cast<double>(q.gradient[k]) : -HUGE_VAL; });
  return high.value > -HUGE_VAL ? high.index : -1;
}

/// The member from which SMO goes on, -1 if none can grow. The gradient is computed in float first where that is not so yet.
template <class Member>
KOKKOS_INLINE_FUNCTION int begin_smo(const Member& member, const MemberRows& subs, int s, const OneProblem& q) {
  const int next = subs.slot(s).next;
  if (next >= 0) return next;
  const double* gradient = &subs.gradient(s, 0);
  const double level = subs.slot(s).level;
  float* rough = q.gradient;
  team_simd_for(member, q.places, [=](int r) { rough[r] = static_cast<float>(gradient[r] - level); });
  member.team_barrier();
  return find_largest(member, q);
}

/// How SMO of one slot has ended.
struct SmoEnd {
  std::int64_t steps = 0;
  float gap = 0;       ///< the violation
  int missing = -1;    ///< the sample whose kernel row it needs to go on
  bool stuck = false;  ///< gradients differ by less than float resolves: no further progress
};

/// Enters that into the slot, with the member `next` that would be moved next.
template <class Member>
KOKKOS_INLINE_FUNCTION void end_smo(const Member& member, const MemberRows& subs, int s, const SmoEnd& end, int next) {
  Slot& slot = subs.slot(s);
  const int free = count_free(member, subs, s);  // also a barrier: every thread has read the slot
  Kokkos::single(Kokkos::PerTeam(member), [&]() {
    slot.free = free;
    slot.iterations += end.steps;
    slot.inner_violation = static_cast<double>(end.gap);
    slot.missing = end.missing;
    slot.next = next;
    slot.inner = end.missing >= 0 || (end.gap > slot.inner_tolerance && !end.stuck) ? 1 : 0;
  });
}

}  // namespace krossfold::svm
