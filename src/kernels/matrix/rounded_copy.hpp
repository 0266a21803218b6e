// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"
#include "krossfold/kernels/precision.hpp"

namespace krossfold::kernels {

/// A copy whose numbers are rounded(); the matrix itself for Precision::single.
template <class Exec>
Matrix<const float, Exec> rounded_copy(const Exec& exec, const Matrix<const float, Exec>& a, Precision precision) {
  if (precision == Precision::single) return a;
  const std::int64_t columns = static_cast<std::int64_t>(a.extent(1)),
                     all = static_cast<std::int64_t>(a.extent(0)) * columns;
  const Matrix<float, Exec> copy(uninitialized("krossfold::kernels::rounded"), a.extent(0), a.extent(1));
  Kokkos::parallel_for(
      "krossfold::kernels::round_factor", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, all),
      KOKKOS_LAMBDA(std::int64_t k) {
        copy(k / columns, k % columns) = rounded(a(k / columns, k % columns), precision);
      });
  return copy;
}

}  // namespace krossfold::kernels
