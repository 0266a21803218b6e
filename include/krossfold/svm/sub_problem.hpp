// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "krossfold/core/simd.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/svm/dual_problem.hpp"
#include "krossfold/svm/kernel_rows.hpp"

namespace krossfold::svm {

/// State of one active problem and its working set, in memory visible to host and device.
struct Slot {
  int problem = -1;  ///< row in DualProblems
  int active = 0;    ///< 1 while it violates the optimality conditions and has iterations left
  int stuck = 0;     ///< no pair makes progress that floating point resolves
  int members = 0;   ///< m: size of the working set
  int before = 0;    ///< m of the previous working set, to which K_WW still belongs
  int fresh = 0;     ///< members whose kernel entries have yet to be copied
  int moved = 0;     ///< members with a new place whose kernel entries are still at the old one
  int stride = 0;    ///< row stride of the working set's kernel matrix
  int lost = 0;      ///< the kernel matrix of the working set is no longer in memory, but its members keep their places
  std::size_t origin = 0;   ///< where that matrix begins in SubProblems::kernel
  int capped = 0;           ///< the working set leaves out some samples that could move
  int whole = 0;            ///< the working set would be most of the problem: the sub-problem is the whole problem
  int next = -1;            ///< the member whose beta SMO increases next; -1: it and `rough` must be computed
  int missing = -1;         ///< in a whole problem, the sample whose kernel row SMO needs to continue
  int changed = 0;          ///< members whose beta differs from the problem's
  int free = 0;             ///< members strictly between their bounds
  int inner = 0;            ///< 1 while the sub-problem is being solved
  int newton = 0;           ///< 1 if newton() is to take a step
  double newton_price = 0;  ///< what the last Newton step cost, and several times that where such steps do not help
  double newton_doubt = 1;  ///< 1 to 16: doubled by a step that met a bound, halved by one that did not
  double cost = 0;          ///< what was done at this C, in the unit of newton_cost()
  double budget = 0;        ///< the problem is given up beyond that cost
  double level = 0;         ///< near the gradients of the free members
  double violation = 0, inner_violation = 0, inner_tolerance = 0;
  double gap = 0, gap_bias = 0;  ///< duality gap relative to the primal objective, if that was asked for, and its bias
  std::int64_t iterations = 0;   ///< SMO iterations at this C
  std::int64_t steps = 0;        ///< maximum SMO iterations in the next launch
};

/// Sub-problems: for each slot the samples W that may still move (shrinking, Joachims 1999), with a compact copy K_WW
/// of their part of the kernel matrix. All other samples stay fixed while the sub-problem is solved.
///
/// SMO needs the gradient only to choose pairs and steps and updates it in float. Before a Newton step and when the
/// sub-problem ends, the gradient is recomputed in double from the change of beta.
///
/// K_WW is kept from round to round and from C to C as long as at least half of W is: only rows of new members are read
/// from the kernel matrix.
template <class Exec>
struct SubProblems {
  int slots = 0, capacity = 0;
  bool unit_sphere = true;  ///< K has the diagonal 1, so that K is the kernel matrix plus 1 (see KernelForm)
  Flags<Slot> slot;
  Vector<Slot, Exec> copied_slot;     ///< (slot): on a device, for kernels of many teams
  Vector<float, Exec> kernel;         ///< (slot.origin + r * slot.stride + c): kernel matrix between members r and c
  Vector<const KernelRow, Exec> row;  ///< (sample): rows of the kernel matrix, for whole problems
  Matrix<int, Exec> sample;           ///< (slot, r)
  Matrix<int, Exec> position;         ///< (slot, sample): r, or -1 for non-members
  Matrix<double, Exec> beta;          ///< (slot, r); r is the sample in a whole problem
  Matrix<double, Exec> gradient;      ///< (slot, r): at `anchor`; in a whole problem as it was loaded
  Matrix<double, Exec> anchor;        ///< (slot, r): the beta at which `gradient` was computed
  Matrix<float, Exec> rough;          ///< (slot, r): gradient at beta minus slot.level in float, which SMO updates
  Matrix<double, Exec> bound;         ///< (slot, r): the bound of beta other than 0 (bound_of)
  Matrix<float, Exec> grow, shrink;   ///< (slot, r): 1 where beta can grow or shrink, else 0: a factor for vector loops
  Matrix<int, Exec> sorted;           ///< (slot, k): the members' samples in ascending order
  Matrix<std::uint8_t, Exec> mark;    ///< (slot, sample): 1 if it is to be a member
  Matrix<float, Exec> urgency;        ///< (slot, sample): the score by which the most urgent samples are chosen
  Matrix<int, Exec> fresh;            ///< (slot, k): places of members whose kernel entries have yet to be copied
  Matrix<int, Exec> fresh_sample;     ///< (slot, k): their samples
  Matrix<int, Exec> moved, moved_to;  ///< (slot, k): old and new places of members that move
  Matrix<int, Exec> changed;          ///< (slot, k): samples whose beta changed
  Matrix<double, Exec> change;        ///< (slot, k): the change of their beta
};

/// `members` rounded up to full vectors: inner loops run over all places, the padding being unable to move.
KOKKOS_INLINE_FUNCTION int places(int members) { return (members + 15) / 16 * 16; }

/// The number of entries that a slot's sub-problem has in beta and the arrays parallel to it.
KOKKOS_INLINE_FUNCTION int size_of(const Slot& slot, int samples) { return slot.whole != 0 ? samples : slot.members; }

/// The entries of the kernel matrix of the largest working set.
inline std::size_t largest_kernel(int capacity) {
  return static_cast<std::size_t>(capacity) * static_cast<std::size_t>(places(capacity));
}

/// Allocates sub-problems for `samples` samples with working sets of at most `capacity`; all slots are empty.
/// entries: those of all kernel matrices together, whose places are the caller's to find if that is less than the slots'
/// largest (KernelPool); 0: the largest for each slot, each in a place of its own.
template <class Exec>
SubProblems<Exec> make_sub_problems(int slots, int capacity, int samples, std::size_t entries = 0);

/// Empties the slots and assigns problem s to slot s (none for s >= count).
template <class Exec>
void assign_slots(const Exec& exec, const SubProblems<Exec>& subs, int count);

/// Finds the violation of every active slot's problem at C. If it is at most `tolerance`, or if the relative duality gap is at
/// most `gap`, the slot becomes inactive.
/// Else the working set becomes the free samples and those at a bound that can grow with g > floor or shrink with g <
/// ceiling. With h the largest gradient that can grow, l the smallest that can shrink, and b the midpoint of the free
/// samples' gradients, floor = b - 0.7 (b - l) and ceiling = b + 0.7 (h - b); without free samples they are l and h.
/// Of the samples at a bound, at most max(number of free samples, 512, n / 8) are taken, worst violators first.
/// If the working set would exceed n / 2 or the capacity, the slot becomes `whole` and keeps its members.
template <class Exec>
void choose_working_sets(const Exec& exec, const SubProblems<Exec>& subs, const DualProblems<Exec>& duals, double c,
                         double tolerance, double gap = 0);

/// Copies the kernel entries of new members (of all, where they are lost), then beta, gradient, bound and freedom of all members, into the active slots.
template <class Exec>
void load_sub_problems(const Exec& exec, const SubProblems<Exec>& subs, const DualProblems<Exec>& duals,
                       KernelRows<Exec>& kernel, double c);

/// Writes beta of the active slots' sub-problems back and updates the gradient of all samples,
/// g -= sum_r (change of beta_r) K_r. A slot where nothing changed is marked stuck.
template <class Exec>
void store_sub_problems(const Exec& exec, const SubProblems<Exec>& subs, const DualProblems<Exec>& duals,
                        KernelRows<Exec>& kernel);

}  // namespace krossfold::svm
