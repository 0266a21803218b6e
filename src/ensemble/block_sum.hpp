// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

namespace krossfold::ensemble {

constexpr int block_length = 256;

inline int block_count(int n) { return n / block_length + (n % block_length != 0 ? 1 : 0); }

/// The sum of value(i) over [0, n), formed in blocks of block_length that are added in order, so that it is bitwise
/// identical for any number of threads. Blocks until the sum is complete.
template <class T, class Exec, class Value>
T block_sum(const Exec& exec, int n, const Value& value) {
  const Vector<T, Exec> part(uninitialized("krossfold::ensemble::block_sum"), block_count(n));
  Kokkos::parallel_for(
      "krossfold::ensemble::block_sum", Kokkos::RangePolicy<Exec>(exec, 0, block_count(n)), KOKKOS_LAMBDA(int b) {
        const int first = b * block_length, last = n - first < block_length ? n : first + block_length;
        T sum = 0;
        for (int i = first; i < last; ++i) sum += value(i);
        part(b) = sum;
      });
  fence(exec, "krossfold::ensemble::block_sum");
  const auto of_block = on_host(part);
  T total = 0;
  for (int b = 0; b < block_count(n); ++b) total += of_block(b);
  return total;
}

}  // namespace krossfold::ensemble
