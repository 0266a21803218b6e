// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/largest.hpp"

namespace krossfold::kernels {

template <class Exec>
void largest_class(const Exec& exec, const Matrix<int, Exec>& choice, const Matrix<const double, Exec>& value,
                   int classes) {
  const int n = static_cast<int>(choice.extent(1));
  Kokkos::parallel_for(
      "krossfold::kernels::largest_class", Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(choice.extent(0)) * n),
      KOKKOS_LAMBDA(int k) {
        const int s = k / n, i = k % n;
        int best = 0;
        for (int c = 1; c < classes; ++c) {
          if (value(s * classes + c, i) > value(s * classes + best, i)) best = c;
        }
        choice(s, i) = best;
      });
}

template <class Exec>
void count_wrong(const Exec& exec, const Vector<int, Exec>& wrong, const Matrix<const int, Exec>& choice,
                 const Vector<const int, Exec>& label) {
  const int n = static_cast<int>(choice.extent(1));
  Kokkos::parallel_for(
      "krossfold::kernels::count_wrong", Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(choice.extent(0))),
      KOKKOS_LAMBDA(int s) {
        int count = 0;
        for (int i = 0; i < n; ++i) count += choice(s, i) != label(i) ? 1 : 0;
        wrong(s) = count;
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                 \
  template void largest_class<Exec>(const Exec&, const Matrix<int, Exec>&, const Matrix<const double, Exec>&, int); \
  template void count_wrong<Exec>(const Exec&, const Vector<int, Exec>&, const Matrix<const int, Exec>&,            \
                                  const Vector<const int, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
