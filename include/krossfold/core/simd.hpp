// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "krossfold/core/kokkos_compat.hpp"

/// The mark of an innermost loop that must vectorise on the host: `#pragma omp simd` (with -fopenmp-simd), nothing in
/// device code. Arguments are its clauses: KROSSFOLD_SIMD(reduction(max : best)).
#if KROSSFOLD_ON_HOST
#define KROSSFOLD_PRAGMA(text) _Pragma(#text)
#define KROSSFOLD_SIMD(...) KROSSFOLD_PRAGMA(omp simd __VA_ARGS__)
#else
#define KROSSFOLD_SIMD(...)
#endif

namespace krossfold {

/// The part of [0, n) that one member of a team works on.
///
/// Host: a contiguous block that starts on a multiple of 16 elements, to be run as a plain KROSSFOLD_SIMD loop.
/// Device: every team_size-th element, so that neighbouring threads touch neighbouring addresses.
struct TeamPart {
  int first, last, step;

  template <class Member>
  KOKKOS_INLINE_FUNCTION static TeamPart of(const Member& member, int n) {
    const int rank = static_cast<int>(member.team_rank()), size = static_cast<int>(member.team_size());
#if KROSSFOLD_ON_HOST
    const int block = ((n + size - 1) / size + 15) / 16 * 16;
    const int first = rank * block < n ? rank * block : n;
    return {first, first + block < n ? first + block : n, 1};
#else
    return {rank, n, size};
#endif
  }
};

/// Runs body(i) for every i in [0, n), shared by the members of a team; the bodies must not depend on one another.
/// No barrier at the end.
template <class Member, class Body>
KOKKOS_INLINE_FUNCTION void team_simd_for(const Member& member, int n, const Body& body) {
  const TeamPart part = TeamPart::of(member, n);
#if KROSSFOLD_ON_HOST
  KROSSFOLD_SIMD()
  for (int i = part.first; i < part.last; ++i) body(i);
#else
  for (int i = part.first; i < part.last; i += part.step) body(i);
#endif
}

/// A largest value and the lowest index that has it.
struct Largest {
  double value;
  int index;
};

/// Runs update(i) for every i in [0, n), then returns the largest value(i) and, in `lowest`, the least other(i): one pass
/// over memory. update(i) may change only what belongs to i; value(i) must not have side effects (the index is found by
/// looking again). Values are infinite where an element does not take part; index 0 is returned when none does.
/// The result is the same for every team size, and on every member.
template <class Member, class Update, class Value, class Other>
KOKKOS_INLINE_FUNCTION Largest team_simd_update_largest(const Member& member, int n, const Update& update,
                                                        const Value& value, const Other& other, double& lowest) {
  const TeamPart part = TeamPart::of(member, n);
  double best = -HUGE_VAL, least = HUGE_VAL;
#if KROSSFOLD_ON_HOST
  // A maximum vectorises, a maximum with its index does not: remember the chunk, search it afterwards.
  constexpr int chunk = 512;
  int best_first = part.first;
  for (int first = part.first; first < part.last; first += chunk) {
    const int last = first + chunk < part.last ? first + chunk : part.last;
    double chunk_best = -HUGE_VAL;
    KROSSFOLD_SIMD(reduction(max : chunk_best) reduction(min : least))
    for (int i = first; i < last; ++i) {
      update(i);
      const double v = value(i), o = other(i);
      chunk_best = v > chunk_best ? v : chunk_best;
      least = o < least ? o : least;
    }
    if (chunk_best > best) {
      best = chunk_best;
      best_first = first;
    }
  }
  double team_best = best;
  member.team_reduce(Kokkos::Max<double>(team_best));
  int index = n;
  if (best == team_best) {
    const int last = best_first + chunk < part.last ? best_first + chunk : part.last;
    KROSSFOLD_SIMD(reduction(min : index))
    for (int i = best_first; i < last; ++i) {
      const int candidate = value(i) == team_best ? i : n;
      index = candidate < index ? candidate : index;
    }
  }
#else
  int own = n;
  for (int i = part.first; i < part.last; i += part.step) {
    update(i);
    const double v = value(i), o = other(i);
    if (v > best) {
      best = v;
      own = i;
    }
    least = o < least ? o : least;
  }
  double team_best = best;
  member.team_reduce(Kokkos::Max<double>(team_best));
  int index = best == team_best ? own : n;
#endif
  member.team_reduce(Kokkos::Min<int>(index));
  member.team_reduce(Kokkos::Min<double>(least));
  lowest = least;
  return {team_best, index < n ? index : 0};
}

/// The largest value(i) over [0, n) and the lowest index that has it; see team_simd_update_largest.
template <class Member, class Value>
KOKKOS_INLINE_FUNCTION Largest team_simd_largest(const Member& member, int n, const Value& value) {
  double unused;
  return team_simd_update_largest(
      member, n, [](int) {}, value, [](int) { return HUGE_VAL; }, unused);
}

}  // namespace krossfold
