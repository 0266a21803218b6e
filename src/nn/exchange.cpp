// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/nn/exchange.hpp"

namespace krossfold::nn {

template <class Exec>
void sum_rows(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& x) {
  const auto rows = static_cast<int>(x.extent(0));
  if (rows == 1 && sum.data() == x.data()) return;
  Kokkos::parallel_for(
      "krossfold::nn::sum_rows",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, static_cast<std::int64_t>(sum.extent(0))),
      KOKKOS_LAMBDA(std::int64_t k) {
        float total = x(0, k);
        for (int r = 1; r < rows; ++r) total += x(r, k);
        sum(k) = total;
      });
}

#define KROSSFOLD_INSTANTIATE(Exec) \
  template void sum_rows<Exec>(const Exec&, const Vector<float, Exec>&, const Matrix<const float, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::nn
