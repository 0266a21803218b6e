// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
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

/// The number of i in [0, n) for which value(i) is 1 (else it is 0), on every member.
template <class Member, class Value>
KOKKOS_INLINE_FUNCTION int team_simd_count(const Member& member, int n, const Value& value) {
  const TeamPart part = TeamPart::of(member, n);
  int sum = 0;
#if KROSSFOLD_ON_HOST
  KROSSFOLD_SIMD(reduction(+ : sum))
  for (int i = part.first; i < part.last; ++i) sum += value(i);
#else
  for (int i = part.first; i < part.last; i += part.step) sum += value(i);
#endif
  member.team_reduce(Kokkos::Sum<int>(sum));
  return sum;
}

/// A largest value and the lowest index that has it.
struct Largest {
  double value;
  int index;
};

/// The largest value(i) over [0, n) and the lowest index that has it. value(i) must not have side effects (the index is
/// found by looking again), and is -infinity where an element does not take part; index 0 is returned when none does.
/// The result is the same for every team size, and on every member.
template <class Member, class Value>
KOKKOS_INLINE_FUNCTION Largest team_simd_largest(const Member& member, int n, const Value& value) {
  const TeamPart part = TeamPart::of(member, n);
  double best = -HUGE_VAL;
#if KROSSFOLD_ON_HOST
  // A maximum vectorises, a maximum with its index does not: remember the chunk, search it afterwards.
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

/// The bits that hold an index below n: 2^b - 1 >= n - 1.
KOKKOS_INLINE_FUNCTION int index_mask(int n) {
  int mask = 1;
  while (mask < n - 1) mask = 2 * mask + 1;
  return mask;
}

/// Orders scores and their indices by one integer maximum: the leading bits of a float, and below them, in the bits of
/// `mask`, the index, the lowest the largest. Positive floats are ordered as integers are; others lie at or below `mask`.
KOKKOS_INLINE_FUNCTION int score_key(float score, int i, int mask) {
  return (std::bit_cast<int>(score) & ~mask) | (mask - i);
}

/// An index i of [0, n) with a nearly largest score, the lowest of several; -1 if no score is positive. Scores are
/// compared by the leading bits of their floats, those that the index leaves free (10 of 23 at n = 8192): for choices that
/// may be approximate. mask = index_mask(n). score(i) is called once for each i and may change what belongs to i.
/// The result is the same for every team size, and on every member.
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

/// The same with the score in two steps: prepare(i) gives what score(i, prepared) is formed from, and `largest` becomes the
/// largest positive prepared value, 0 without one.
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
