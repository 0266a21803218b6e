// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/kokkos_compat.hpp"

namespace krossfold::kernels {

/// Sums that threads or lanes form side by side, reduced together by Kokkos::Sum.
template <int rows, int columns>
struct SumTable {
  float value[rows][columns];

  KOKKOS_INLINE_FUNCTION SumTable() {
    for (auto& row : value) {
      for (float& v : row) v = 0;
    }
  }
  KOKKOS_INLINE_FUNCTION SumTable& operator+=(const SumTable& other) {
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < columns; ++c) value[r][c] += other.value[r][c];
    }
    return *this;
  }
  KOKKOS_INLINE_FUNCTION void operator+=(const volatile SumTable& other) volatile {
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < columns; ++c) value[r][c] = value[r][c] + other.value[r][c];
    }
  }
};

}  // namespace krossfold::kernels

namespace Kokkos {
template <int rows, int columns>
struct reduction_identity<krossfold::kernels::SumTable<rows, columns>> {
  KOKKOS_FORCEINLINE_FUNCTION static krossfold::kernels::SumTable<rows, columns> sum() { return {}; }
};
}  // namespace Kokkos
