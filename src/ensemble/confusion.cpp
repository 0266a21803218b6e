// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/ensemble/confusion.hpp"

#include "check_shapes.hpp"

namespace krossfold::ensemble {

template <class Exec>
void confusion(const Exec& exec, const Matrix<int, Exec>& count, const Vector<const int, Exec>& choice,
               const Vector<const int, Exec>& label) {
  const int n = static_cast<int>(label.extent(0)), classes = static_cast<int>(count.extent(0));
  check_shapes(count.extent(1) == count.extent(0), "confusion");
  check_labels(exec, label, n, classes, "confusion");
  check_labels(exec, choice, n, classes, "confusion");
  Kokkos::deep_copy(exec, count, 0);
  Kokkos::parallel_for(
      "krossfold::ensemble::confusion", Kokkos::RangePolicy<Exec>(exec, 0, n),
      KOKKOS_LAMBDA(int i) { Kokkos::atomic_add(&count(label(i), choice(i)), 1); });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                    \
  template void confusion<Exec>(const Exec&, const Matrix<int, Exec>&, const Vector<const int, Exec>&, \
                                const Vector<const int, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::ensemble
