// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <type_traits>

#include "krossfold/core/bounded_teams.hpp"
#include "krossfold/core/simd.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold::svm {

/// Sums and maxima of value(i) over [0, n) in blocks of 512, which the host combines in order: the same bits for any number of
/// threads of a host, and in every launch of a device.
inline constexpr int reduction_block = 512;
inline int reduction_blocks(int n) { return (n + reduction_block - 1) / reduction_block; }

template <class Value>
struct BlockSum {
  int n;
  Value value;
  Flags<double> partial;

  KOKKOS_INLINE_FUNCTION void operator()(int b) const {
    const int first = b * reduction_block, last = first + reduction_block < n ? first + reduction_block : n;
    double sum = 0;
    KROSSFOLD_SIMD(reduction(+ : sum))
    for (int i = first; i < last; ++i) sum += value(i);
    partial(b) = sum;
  }
};

template <class Value>
struct BlockMax {
  int n;
  Value value;
  Flags<double> partial;

  KOKKOS_INLINE_FUNCTION void operator()(int b) const {
    const int first = b * reduction_block, last = first + reduction_block < n ? first + reduction_block : n;
    double most = -HUGE_VAL;
    KROSSFOLD_SIMD(reduction(max : most))
    for (int i = first; i < last; ++i) {
      const double v = value(i);
      most = v > most ? v : most;
    }
    partial(b) = most;
  }
};

/// A block for each team of a device, whose threads take every 128th value each.
inline constexpr int reduction_threads = 128;

/// Reducer is Kokkos::Sum or Kokkos::Max.
template <class Reducer, class Exec, class Value>
void reduce_blocks_by_teams(const Exec& exec, int n, const Flags<double>& partial, const Value& value) {
  Kokkos::parallel_for(
      "krossfold::svm::reduce_blocks", bounded_teams<reduction_threads>(exec, reduction_blocks(n), reduction_threads),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int b = member.league_rank(), first = b * reduction_block;
        const int last = first + reduction_block < n ? first + reduction_block : n;
        double result = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(member, first, last),
            [&](int i, double& part) { Reducer(part).join(part, value(i)); }, Reducer(result));
        Kokkos::single(Kokkos::PerTeam(member), [&] { partial(b) = result; });
      });
}

template <class Exec, class Value>
double sum_over(const Exec& exec, int n, const Flags<double>& partial, const Value& value) {
  const int blocks = reduction_blocks(n);
  if constexpr (std::is_same_v<Exec, Host>) {
    Kokkos::parallel_for("krossfold::svm::sum", Kokkos::RangePolicy<Exec>(exec, 0, blocks),
                         BlockSum<Value>{n, value, partial});
  } else {
    reduce_blocks_by_teams<Kokkos::Sum<double>>(exec, n, partial, value);
  }
  fence(exec, "krossfold::svm::sum");
  double sum = 0;
  for (int b = 0; b < blocks; ++b) sum += partial(b);
  return sum;
}

/// -infinity for n = 0.
template <class Exec, class Value>
double max_over(const Exec& exec, int n, const Flags<double>& partial, const Value& value) {
  const int blocks = reduction_blocks(n);
  if constexpr (std::is_same_v<Exec, Host>) {
    Kokkos::parallel_for("krossfold::svm::max", Kokkos::RangePolicy<Exec>(exec, 0, blocks),
                         BlockMax<Value>{n, value, partial});
  } else {
    reduce_blocks_by_teams<Kokkos::Max<double>>(exec, n, partial, value);
  }
  fence(exec, "krossfold::svm::max");
  double most = -HUGE_VAL;
  for (int b = 0; b < blocks; ++b) most = partial(b) > most ? partial(b) : most;
  return most;
}

/// sum_i a_i b_i.
template <class Exec>
double dot(const Exec& exec, const Flags<double>& partial, const Vector<const double, Exec>& a,
           const Vector<const double, Exec>& b) {
  return sum_over(
      exec, static_cast<int>(a.extent(0)), partial, KOKKOS_LAMBDA(int i) { return a(i) * b(i); });
}

/// The largest |a_i|, -infinity if there is none.
template <class Exec>
double largest(const Exec& exec, const Flags<double>& partial, const Vector<const double, Exec>& a) {
  return max_over(
      exec, static_cast<int>(a.extent(0)), partial, KOKKOS_LAMBDA(int i) { return a(i) < 0 ? -a(i) : a(i); });
}

}  // namespace krossfold::svm
