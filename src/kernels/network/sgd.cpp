// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/sgd.hpp"

namespace krossfold::kernels {

template <class Exec>
void sgd(const Exec& exec, const Vector<float, Exec>& weight, const Vector<float, Exec>& velocity,
         const Vector<const float, Exec>& gradient, float rate, float momentum) {
  Kokkos::parallel_for(
      "krossfold::kernels::sgd",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, static_cast<std::int64_t>(weight.extent(0))),
      KOKKOS_LAMBDA(std::int64_t k) {
        const float step = momentum * velocity(k) + gradient(k);
        velocity(k) = step;
        weight(k) -= rate * step;
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                            \
  template void sgd<Exec>(const Exec&, const Vector<float, Exec>&, const Vector<float, Exec>&, \
                          const Vector<const float, Exec>&, float, float);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
