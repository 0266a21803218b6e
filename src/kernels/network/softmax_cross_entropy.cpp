// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/softmax_cross_entropy.hpp"

#include <cmath>

namespace krossfold::kernels {
namespace {

struct Shift {
  double largest, sum;
};

/// The largest z of a sample and the sum of exp(z - largest).
KOKKOS_INLINE_FUNCTION Shift shift_of(const float* z, int classes, int batch) {
  double largest = static_cast<double>(z[0]), sum = 0;
  for (int c = 1; c < classes; ++c) largest = fmax(largest, static_cast<double>(z[c * batch]));
  for (int c = 0; c < classes; ++c) sum += exp(static_cast<double>(z[c * batch]) - largest);
  return {largest, sum};
}

}  // namespace

template <class Exec>
void softmax_cross_entropy(const Exec& exec, const Vector<double, Exec>& loss, const Vector<float, Exec>& dz,
                           const Vector<const float, Exec>& z, const Vector<const int, Exec>& label, int classes,
                           double divisor) {
  const int batch = static_cast<int>(label.extent(0));
  const double factor = 1 / divisor;
  Kokkos::parallel_for(
      "krossfold::kernels::softmax_cross_entropy", Kokkos::RangePolicy<Exec>(exec, 0, batch), KOKKOS_LAMBDA(int s) {
        const Shift shift = shift_of(&z(s), classes, batch);
        const int truth = label(s);
        loss(s) = (log(shift.sum) + shift.largest - static_cast<double>(z(truth * batch + s))) * factor;
        for (int c = 0; c < classes; ++c) {
          const double p = exp(static_cast<double>(z(c * batch + s)) - shift.largest) / shift.sum;
          dz(c * batch + s) = static_cast<float>((c == truth ? p - 1 : p) * factor);
        }
      });
}

template <class Exec>
void weigh_losses(const Exec& exec, const Vector<double, Exec>& loss, const Vector<float, Exec>& dz, int classes,
                  const Vector<const double, Exec>& weight, const Vector<const int, Exec>& row, std::int64_t first,
                  int batch) {
  Kokkos::parallel_for(
      "krossfold::kernels::weigh_losses", Kokkos::RangePolicy<Exec>(exec, 0, batch), KOKKOS_LAMBDA(int s) {
        const double w = weight(row(first + s));
        loss(s) *= w;
        for (int c = 0; c < classes; ++c) dz(c * batch + s) *= static_cast<float>(w);
      });
}

template <class Exec>
void softmax(const Exec& exec, const Matrix<float, Exec>& p, int first, const Vector<const float, Exec>& z, int classes,
             int batch) {
  Kokkos::parallel_for(
      "krossfold::kernels::softmax", Kokkos::RangePolicy<Exec>(exec, 0, batch), KOKKOS_LAMBDA(int s) {
        const Shift shift = shift_of(&z(s), classes, batch);
        for (int c = 0; c < classes; ++c) {
          p(first + s, c) = static_cast<float>(exp(static_cast<double>(z(c * batch + s)) - shift.largest) / shift.sum);
        }
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                 \
  template void softmax_cross_entropy<Exec>(const Exec&, const Vector<double, Exec>&, const Vector<float, Exec>&,   \
                                            const Vector<const float, Exec>&, const Vector<const int, Exec>&, int,  \
                                            double);                                                                \
  template void weigh_losses<Exec>(const Exec&, const Vector<double, Exec>&, const Vector<float, Exec>&, int,       \
                                   const Vector<const double, Exec>&, const Vector<const int, Exec>&, std::int64_t, \
                                   int);                                                                            \
  template void softmax<Exec>(const Exec&, const Matrix<float, Exec>&, int, const Vector<const float, Exec>&, int, int);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
