// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "krossfold/core/bounded_teams.hpp"
#include "krossfold/core/simd.hpp"
#include "krossfold/svm/dual_problem.hpp"
#include "krossfold/svm/kernel_rows.hpp"
#include "krossfold/svm/sub_problem.hpp"

namespace krossfold::svm {

/// A matrix as kernels take it: 16 bytes, where a View has 40 or more. A functor of more than 512 bytes would be copied to CUDA's
/// constant memory, for which the host waits until earlier kernels have ended.
template <class T>
struct Rows {
  template <class View>
  explicit Rows(const View& view) : data(view.data()), stride(view.stride(0)) {}
  KOKKOS_INLINE_FUNCTION T& operator()(int row, int column) const {
    return data[static_cast<std::size_t>(row) * stride + static_cast<std::size_t>(column)];
  }

  T* data;
  std::size_t stride;
};

/// DualProblems, for kernels.
struct DualRows {
  template <class Exec>
  explicit DualRows(const DualProblems<Exec>& duals)
      : sign(duals.sign),
        beta(duals.beta),
        gradient(duals.gradient),
        weight(duals.weight.data()),
        samples(duals.samples()) {}

  Rows<const std::int8_t> sign;
  Rows<double> beta, gradient;
  const double* weight;
  int samples;
};

/// Elements that a kernel of many teams reads: on a device a copy in its own memory, since each team would wait for the host's.
template <class Exec, class T>
T* to_read(const Exec& exec, const Flags<T>& from, const Vector<T, Exec>& copy) {
  if constexpr (std::is_same_v<Exec, Host>) {
    return from.data();
  } else {
    Kokkos::parallel_for(
        "krossfold::svm::copy_flags", Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(from.extent(0))),
        KOKKOS_LAMBDA(int s) { copy(s) = from(s); });
    return copy.data();
  }
}

/// As few teams as problems leave most of a device idle: the largest that there are keep most loads in flight.
template <class Exec>
auto large_teams(const Exec& exec, int teams) {
  return bounded_teams<1024>(exec, teams, 1024);
}

/// The members of SubProblems, for kernels: all that SMO and Newton steps need.
struct MemberRows {
  template <class Exec>
  explicit MemberRows(const SubProblems<Exec>& subs)
      : samples(static_cast<int>(subs.position.extent(1))),
        unit_sphere(subs.unit_sphere),
        slots(subs.slot.data()),
        row(subs.row.data()),
        pool(subs.kernel.data()),
        beta(subs.beta),
        gradient(subs.gradient),
        anchor(subs.anchor),
        rough(subs.rough),
        bound(subs.bound),
        grow(subs.grow),
        shrink(subs.shrink) {}
  /// For a kernel of many teams, which only reads the slots.
  template <class Exec>
  MemberRows(const Exec& exec, const SubProblems<Exec>& subs) : MemberRows(subs) {
    slots = to_read(exec, subs.slot, subs.copied_slot);
  }
  KOKKOS_INLINE_FUNCTION Slot& slot(int s) const { return slots[s]; }
  KOKKOS_INLINE_FUNCTION float* kernel(int s) const { return pool + slots[s].origin; }

  int samples;
  bool unit_sphere;
  Slot* slots;
  const KernelRow* row;
  float* pool;
  Rows<double> beta, gradient, anchor;
  Rows<float> rough;
  Rows<double> bound;
  Rows<float> grow, shrink;
};

/// The lists of SubProblems, for kernels.
struct ListRows {
  template <class Exec>
  explicit ListRows(const SubProblems<Exec>& subs)
      : samples(static_cast<int>(subs.position.extent(1))),
        capacity(subs.capacity),
        slots(subs.slot.data()),
        pool(subs.kernel.data()),
        sample(subs.sample),
        position(subs.position),
        sorted(subs.sorted),
        mark(subs.mark),
        urgency(subs.urgency),
        fresh(subs.fresh),
        fresh_sample(subs.fresh_sample),
        moved(subs.moved),
        moved_to(subs.moved_to),
        changed(subs.changed),
        change(subs.change) {}
  /// For a kernel of many teams, which only reads the slots.
  template <class Exec>
  ListRows(const Exec& exec, const SubProblems<Exec>& subs) : ListRows(subs) {
    slots = to_read(exec, subs.slot, subs.copied_slot);
  }
  KOKKOS_INLINE_FUNCTION Slot& slot(int s) const { return slots[s]; }
  KOKKOS_INLINE_FUNCTION float* kernel(int s) const { return pool + slots[s].origin; }

  int samples, capacity;
  Slot* slots;
  float* pool;
  Rows<int> sample, position, sorted;
  Rows<std::uint8_t> mark;
  Rows<float> urgency;
  Rows<int> fresh, fresh_sample, moved, moved_to, changed;
  Rows<double> change;
};

/// Records whether beta = b can grow and shrink.
KOKKOS_INLINE_FUNCTION void set_freedom(const MemberRows& subs, int s, int r, double b, double bound) {
  const std::uint8_t freedom = freedom_of(b, bound);
  subs.grow(s, r) = (freedom & can_grow) != 0 ? 1.0f : 0.0f;
  subs.shrink(s, r) = (freedom & can_shrink) != 0 ? 1.0f : 0.0f;
}

/// The number of members of slot s strictly between their bounds; the result is on every thread of the team.
template <class Member>
KOKKOS_INLINE_FUNCTION int count_free(const Member& member, const MemberRows& subs, int s) {
  const float *grow = &subs.grow(s, 0), *shrink = &subs.shrink(s, 0);
  const int size = size_of(subs.slot(s), subs.samples);
  return team_simd_count(member, size, [=](int r) { return grow[r] != 0 && shrink[r] != 0 ? 1 : 0; });
}

}  // namespace krossfold::svm
