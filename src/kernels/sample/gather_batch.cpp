// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/gather_batch.hpp"

#include <cstdint>

#include "kernels/row_parts.hpp"

namespace krossfold::kernels {

template <class Exec>
void gather_batch(const Exec& exec, const Vector<float, Exec>& x, const Vector<int, Exec>& label_out,
                  const Matrix<const float, Exec>& sample, const Vector<const int, Exec>& label,
                  const Vector<const int, Exec>& row, std::int64_t first, int batch) {
  if (batch == 0) return;
  const RowParts<Exec> parts(sample.extent(1), batch);
  Kokkos::parallel_for(
      "krossfold::kernels::gather_batch", parts.policy(exec), KOKKOS_LAMBDA(std::int64_t k) {
        const auto [i, begin, end] = parts.part(k);
        for (int s = begin; s < end; ++s) {
          const int from = row(first + s);
          x(i * batch + s) = sample(from, i);
          if (i == 0) label_out(s) = label(from);
        }
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                   \
  template void gather_batch<Exec>(const Exec&, const Vector<float, Exec>&, const Vector<int, Exec>&, \
                                   const Matrix<const float, Exec>&, const Vector<const int, Exec>&,  \
                                   const Vector<const int, Exec>&, std::int64_t, int);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
