// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/gather_batch.hpp"

#include <cstdint>
#include <type_traits>

namespace krossfold::kernels {

namespace {

/// Row by row of the output, for hosts.
template <class Exec>
void gather_by_feature(const Exec& exec, const Vector<float, Exec>& x, const Vector<int, Exec>& label_out,
                       const Matrix<const float, Exec>& sample, const Vector<const int, Exec>& label,
                       const Vector<const int, Exec>& row, std::int64_t first, int batch) {
  const auto features = static_cast<std::int64_t>(sample.extent(1));
  Kokkos::parallel_for(
      "krossfold::kernels::gather_batch", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, features),
      KOKKOS_LAMBDA(std::int64_t i) {
        for (int s = 0; s < batch; ++s) {
          const int from = row(first + s);
          x(i * batch + s) = sample(from, i);
          if (i == 0) label_out(s) = label(from);
        }
      });
}

/// One thread for each entry, for devices.
template <class Exec>
void gather_by_entry(const Exec& exec, const Vector<float, Exec>& x, const Vector<int, Exec>& label_out,
                     const Matrix<const float, Exec>& sample, const Vector<const int, Exec>& label,
                     const Vector<const int, Exec>& row, std::int64_t first, int batch) {
  const auto entries = static_cast<std::int64_t>(sample.extent(1)) * batch;
  Kokkos::parallel_for(
      "krossfold::kernels::gather_batch", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, entries),
      KOKKOS_LAMBDA(std::int64_t k) {
        const std::int64_t i = k / batch;
        const int s = static_cast<int>(k - i * batch), from = row(first + s);
        x(k) = sample(from, i);
        if (i == 0) label_out(s) = label(from);
      });
}

}  // namespace

template <class Exec>
void gather_batch(const Exec& exec, const Vector<float, Exec>& x, const Vector<int, Exec>& label_out,
                  const Matrix<const float, Exec>& sample, const Vector<const int, Exec>& label,
                  const Vector<const int, Exec>& row, std::int64_t first, int batch) {
  if constexpr (std::is_same_v<Exec, Host>) {
    gather_by_feature<Exec>(exec, x, label_out, sample, label, row, first, batch);
  } else {
    gather_by_entry<Exec>(exec, x, label_out, sample, label, row, first, batch);
  }
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                   \
  template void gather_batch<Exec>(const Exec&, const Vector<float, Exec>&, const Vector<int, Exec>&, \
                                   const Matrix<const float, Exec>&, const Vector<const int, Exec>&,  \
                                   const Vector<const int, Exec>&, std::int64_t, int);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
