// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/join_samples.hpp"

namespace krossfold::kernels {

template <class Exec>
void join_samples(const Exec& exec, const Vector<float, Exec>& joined, const Vector<const float, Exec>& from,
                  std::span<const int> first, std::span<const std::int64_t> begin, std::int64_t rows, int width) {
  const std::int64_t line = std::int64_t{first.back()} * width;
  for (std::size_t p = 0; p + 1 < first.size(); ++p) {
    const std::int64_t at = begin[p], to = std::int64_t{first[p]} * width,
                       count = std::int64_t{first[p + 1] - first[p]} * width;
    Kokkos::parallel_for(
        "krossfold::kernels::join_samples",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, rows * count),
        KOKKOS_LAMBDA(std::int64_t k) { joined(k / count * line + to + k % count) = from(at + k); });
  }
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                           \
  template void join_samples<Exec>(const Exec&, const Vector<float, Exec>&, const Vector<const float, Exec>&, \
                                   std::span<const int>, std::span<const std::int64_t>, std::int64_t, int);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
