// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cmath>

#include "krossfold/core/kokkos_compat.hpp"

/// Marks an innermost loop that must vectorise on the host: `#pragma omp simd` (with -fopenmp-simd), nothing in device
/// code. The arguments are the pragma's clauses: KROSSFOLD_SIMD(reduction(max : best)).
#if KROSSFOLD_ON_HOST
#define KROSSFOLD_PRAGMA(text) _Pragma(#text)
#define KROSSFOLD_SIMD(...) KROSSFOLD_PRAGMA(omp simd __VA_ARGS__)
#else
#define KROSSFOLD_SIMD(...)
#endif

namespace krossfold {

/// The part of [0, n) that one member of a team works on.
///
/// Host: a contiguous block starting at a multiple of 16 elements, for a plain KROSSFOLD_SIMD loop.
/// Device: every team_size-th element, so that accesses of adjacent threads coalesce.
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

/// Runs body(i) for every i in [0, n), distributed over the members of a team; iterations must be independent.
/// There is no barrier at the end.
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

/// The sum of value(i) over [0, n), of the type that value returns. Every member gets the result.
template <class Member, class Value>
KOKKOS_INLINE_FUNCTION auto team_simd_sum(const Member& member, int n, const Value& value) {
  using Number = decltype(value(0));
  const TeamPart part = TeamPart::of(member, n);
  Number sum = 0;
#if KROSSFOLD_ON_HOST
  KROSSFOLD_SIMD(reduction(+ : sum))
  for (int i = part.first; i < part.last; ++i) sum += value(i);
#else
  for (int i = part.first; i < part.last; i += part.step) sum += value(i);
#endif
  member.team_reduce(Kokkos::Sum<Number>(sum));
  return sum;
}

/// The number of i in [0, n) with value(i) = 1, where value(i) is 0 or 1. Every member gets the result.
template <class Member, class Value>
KOKKOS_INLINE_FUNCTION int team_simd_count(const Member& member, int n, const Value& value) {
  return team_simd_sum(member, n, [&](int i) -> int { return value(i); });
}

/// The largest value and its lowest index.
struct Largest {
  double value;
  int index;
};

/// The largest value(i) over [0, n) and its lowest index. value(i) must have no side effects (a second pass finds the
/// index) and is -infinity for excluded elements; the index is 0 if all are excluded.
/// Every member gets the same result, independent of the team size.
template <class Member, class Value>
KOKKOS_INLINE_FUNCTION Largest team_simd_largest(const Member& member, int n, const Value& value) {
  const TeamPart part = TeamPart::of(member, n);
  double best = -HUGE_VAL;
#if KROSSFOLD_ON_HOST
  // A maximum vectorises, a maximum with its index does not: remember its chunk and search that afterwards.
  constexpr int chunk = 256;
  int best_first = part.first;
  for (int first = part.first; first < part.last; first += chunk) {
    const int last = first + chunk < part.last ? first + chunk : part.last;
    double chunk_best = -HUGE_VAL;
    KROSSFOLD_SIMD(reduction(max : chunk_best))
    for (int i = first; i < last; ++i) {
      const double v = value(i);
      chunk_best = v > chunk_best ? v : chunk_best;
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
    const double v = value(i);
    if (v > best) {
      best = v;
      own = i;
    }
  }
  double team_best = best;
  member.team_reduce(Kokkos::Max<double>(team_best));
  int index = best == team_best ? own : n;
#endif
  member.team_reduce(Kokkos::Min<int>(index));
  return {team_best, index < n ? index : 0};
}

/// The bit mask 2^b - 1 >= n - 1 that covers all indices below n.
KOKKOS_INLINE_FUNCTION int index_mask(int n) {
  int mask = 1;
  while (mask < n - 1) mask = 2 * mask + 1;
  return mask;
}

/// Packs a score and its index into one integer key, so that a single integer maximum finds both: the float's leading
/// bits, then, in the bits of `mask`, the complemented index, so that the lowest index wins a tie. Positive floats
/// compare like integers; all other scores give keys at or below `mask`.
KOKKOS_INLINE_FUNCTION int score_key(float score, int i, int mask) {
  return (std::bit_cast<int>(score) & ~mask) | (mask - i);
}

/// The lowest index i in [0, n) whose score is maximal to reduced precision, or -1 if no score is positive. Scores are
/// compared by the leading float bits not taken by the index (10 of 23 mantissa bits at n = 8192), so use it where an
/// approximate choice will do. mask = index_mask(n). score(i) is called once per i and may modify data of element i.
/// Every member gets the same result, independent of the team size.
template <class Member, class Score>
KOKKOS_INLINE_FUNCTION int team_simd_choose(const Member& member, int n, int mask, const Score& score) {
  const TeamPart part = TeamPart::of(member, n);
  int best = mask;
#if KROSSFOLD_ON_HOST
  KROSSFOLD_SIMD(reduction(max : best))
  for (int i = part.first; i < part.last; ++i) {
#else
  for (int i = part.first; i < part.last; i += part.step) {
#endif
    const int key = score_key(score(i), i, mask);
    best = key > best ? key : best;
  }
  member.team_reduce(Kokkos::Max<int>(best));
  return best > mask ? mask - (best & mask) : -1;
}

/// The same with the score computed in two steps: score(i, prepare(i)). `largest` receives the largest positive
/// prepared value, or 0 if there is none.
template <class Member, class Prepare, class Score>
KOKKOS_INLINE_FUNCTION int team_simd_choose(const Member& member, int n, int mask, const Prepare& prepare,
                                            const Score& score, float& largest) {
  const TeamPart part = TeamPart::of(member, n);
  int best = mask;
  float most = 0;
#if KROSSFOLD_ON_HOST
  KROSSFOLD_SIMD(reduction(max : best) reduction(max : most))
  for (int i = part.first; i < part.last; ++i) {
#else
  for (int i = part.first; i < part.last; i += part.step) {
#endif
    const float prepared = prepare(i);
    most = prepared > most ? prepared : most;
    const int key = score_key(score(i, prepared), i, mask);
    best = key > best ? key : best;
  }
  member.team_reduce(Kokkos::Max<int>(best));
  member.team_reduce(Kokkos::Max<float>(most));
  largest = most;
  return best > mask ? mask - (best & mask) : -1;
}

}  // namespace krossfold
