// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include "krossfold/core/kokkos_compat.hpp"

namespace krossfold::kernels {

/// Columns first ... last - 1 of a row.
struct RowPart {
  std::int64_t row;
  int first, last;
};

/// Distributes the entries of a matrix: whole rows on the host, for KROSSFOLD_SIMD loops; single entries on devices, so
/// that accesses of adjacent threads coalesce.
template <class Exec>
struct RowParts {
  std::int64_t rows;
  int columns, width;

  RowParts(std::size_t row_count, int column_count)
      : rows(static_cast<std::int64_t>(row_count)),
        columns(column_count),
        width(std::is_same_v<Exec, Host> ? column_count : 1) {}

  auto policy(const Exec& exec) const {
    return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, rows * (columns / width));
  }
  KOKKOS_INLINE_FUNCTION RowPart part(std::int64_t k) const {
    const std::int64_t in_row = columns / width;
    const int first = static_cast<int>(k % in_row) * width;
    return {k / in_row, first, first + width};
  }
};

}  // namespace krossfold::kernels
