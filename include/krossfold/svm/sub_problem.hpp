// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krossfold/core/simd.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/svm/dual_problem.hpp"
#include "krossfold/svm/kernel_rows.hpp"

namespace krossfold::svm {

/// One problem at work: its working set and how far it is. In memory that host and device see.
struct Slot {
  int problem = -1;  ///< row in DualProblems
  int active = 0;    ///< 1 while it violates the optimality conditions and has a budget
  int stuck = 0;     ///< no pair gains anything that floating point resolves
  int members = 0;   ///< m: size of the working set
  int before = 0;    ///< m of the working set that K_WW is still of
  int fresh = 0;     ///< members whose kernel entries are not in place yet
  int moved = 0;     ///< members that have a new place and leave their kernel entries at the old one
  int stride = 0;    ///< from row to row of the working set's kernel matrix
  int capped = 0;    ///< not all that can move is in the working set
  int whole = 0;     ///< it would be most of the problem: the sub-problem is the problem itself this time
  int next = -1;     ///< the member whose beta SMO lets grow next; -1: it and `rough` are to be found
  int missing = -1;  ///< of a whole problem: the sample whose kernel row SMO must have to go on
  int changed = 0;   ///< members whose beta differs from the problem's
  int free = 0;      ///< members strictly between their bounds
  int inner = 0;     ///< 1 while the sub-problem is being solved
  int newton = 0;    ///< 1 if newton() is to make a step
  double level = 0;  ///< near the gradients of the free members
  double violation = 0, inner_violation = 0, inner_tolerance = 0;
  std::int64_t iterations = 0;  ///< of SMO at this C
  std::int64_t steps = 0;       ///< that SMO may make in its next launch
};

/// Sub-problems: for each slot the samples W that may still move (shrinking, Joachims 1999), with a compact copy K_WW of
/// their part of the kernel matrix. All else is held fast while the sub-problem is solved.
///
/// SMO needs the gradient only to choose pairs and steps, and follows it in float; what the steps did to it is formed anew in
/// double from the change of beta, before a Newton step and when the sub-problem ends.
///
/// K_WW stays from round to round and from C to C as long as half of W does: only rows of new members are read from the
/// kernel matrix.
template <class Exec>
struct SubProblems {
  int slots = 0, capacity = 0;
  Flags<Slot> slot;
  Matrix<float, Exec> kernel;         ///< (slot, r * stride + c): K - 1 between members r and c
  Vector<const KernelRow, Exec> row;  ///< (sample): rows of the kernel matrix, for whole problems
  Matrix<int, Exec> sample;           ///< (slot, r)
  Matrix<int, Exec> position;         ///< (slot, sample): r, or -1 if it is no member
  Matrix<double, Exec> beta;          ///< (slot, r); r is the sample in a whole problem
  Matrix<double, Exec> gradient;      ///< (slot, r): at `anchor`; in a whole problem as it was loaded
  Matrix<double, Exec> anchor;        ///< (slot, r): beta to which `gradient` belongs
  Matrix<float, Exec> rough;          ///< (slot, r): gradient at beta less slot.level, to float: what SMO works on
  Matrix<std::int8_t, Exec> sign;     ///< (slot, r)
  Matrix<float, Exec> grow, shrink;   ///< (slot, r): 1 where beta can grow, shrink, else 0: to be multiplied with
  Matrix<int, Exec> sorted;           ///< (slot, k): the members' samples in ascending order
  Matrix<std::uint8_t, Exec> mark;    ///< (slot, sample): 1 if it is to be a member
  Matrix<float, Exec> urgency;        ///< (slot, sample): what the most urgent samples are chosen by
  Matrix<int, Exec> fresh;            ///< (slot, k): places of members whose kernel entries are not in place yet
  Matrix<int, Exec> fresh_sample;     ///< (slot, k): their samples
  Matrix<int, Exec> moved, moved_to;  ///< (slot, k): old and new places of members that move
  Matrix<int, Exec> changed;          ///< (slot, k): samples to update the gradient with
  Matrix<double, Exec> change;        ///< (slot, k): by which their beta changed
};

/// The number of places that `members` members take: inner loops run to full vectors, over places that cannot move.
KOKKOS_INLINE_FUNCTION int places(int members) { return (members + 15) / 16 * 16; }

/// Writes down whether beta = b can grow and shrink.
template <class Exec>
KOKKOS_INLINE_FUNCTION void set_freedom(const SubProblems<Exec>& subs, int s, int r, double b, std::int8_t sign,
                                        double c) {
  const std::uint8_t freedom = freedom_of(b, sign, c);
  subs.grow(s, r) = (freedom & can_grow) != 0 ? 1.0f : 0.0f;
  subs.shrink(s, r) = (freedom & can_shrink) != 0 ? 1.0f : 0.0f;
}

/// The number of entries of beta and its companions that the sub-problem of a slot has.
KOKKOS_INLINE_FUNCTION int size_of(const Slot& slot, int samples) { return slot.whole != 0 ? samples : slot.members; }

/// How many members of slot s are strictly between their bounds, for every member of a team.
template <class Exec, class Member>
KOKKOS_INLINE_FUNCTION int count_free(const Member& member, const SubProblems<Exec>& subs, int s) {
  const float *grow = &subs.grow(s, 0), *shrink = &subs.shrink(s, 0);
  const int size = size_of(subs.slot(s), static_cast<int>(subs.position.extent(1)));
  return team_simd_count(member, size, [=](int r) { return grow[r] != 0 && shrink[r] != 0 ? 1 : 0; });
}

/// For `samples` samples with working sets of at most `capacity`; all slots empty.
template <class Exec>
SubProblems<Exec> make_sub_problems(int slots, int capacity, int samples);

/// Empties the slots and gives slot s the problem s (none for s >= count).
template <class Exec>
void assign_slots(const Exec& exec, const SubProblems<Exec>& subs, int count);

/// For every active slot: the violation of its problem at C. At most `tolerance`: the slot becomes inactive. Else its
/// working set: the free samples, and those at a bound that can grow with g above `floor` or shrink with g below `ceiling`.
/// With h the largest gradient that can grow, l the smallest that can shrink, and b the middle of the free samples' gradients,
/// floor = b - 0.7 (b - l) and ceiling = b + 0.7 (h - b); l and h without free samples.
/// Of those at a bound at most as many as there are free ones, or 512, or n / 8 (the largest of these), the worst first.
/// If the working set would be more than n / 2 or the capacity, the slot becomes `whole` and keeps its members.
template <class Exec>
void choose_working_sets(const Exec& exec, const SubProblems<Exec>& subs, const DualProblems<Exec>& duals, double c,
                         double tolerance);

/// Copies the kernel entries of new members, then beta, gradient and freedom of all, into the sub-problems of the active
/// slots.
template <class Exec>
void load_sub_problems(const Exec& exec, const SubProblems<Exec>& subs, const DualProblems<Exec>& duals,
                       KernelRows<Exec>& kernel, double c);

/// Writes beta of the active slots' sub-problems back and brings the gradient of all samples up to date,
/// g -= sum_r (change of beta_r) K_r. A slot where nothing changed is stuck.
template <class Exec>
void store_sub_problems(const Exec& exec, const SubProblems<Exec>& subs, const DualProblems<Exec>& duals,
                        KernelRows<Exec>& kernel);

}  // namespace krossfold::svm
