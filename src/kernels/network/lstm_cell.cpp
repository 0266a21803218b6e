// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/lstm_cell.hpp"

#include "kernels/row_parts.hpp"
#include "krossfold/core/math.hpp"
#include "krossfold/core/simd.hpp"

namespace krossfold::kernels {

template <class Exec>
void lstm_cell(const Exec& exec, const Matrix<float, Exec>& gates, const Matrix<float, Exec>& cell,
               const Matrix<float, Exec>& tanh_cell, const Matrix<float, Exec>& output,
               const Matrix<const float, Exec>& cell_before, const Vector<const float, Exec>& bias) {
  const int hidden = static_cast<int>(cell.extent(1));
  const RowParts<Exec> parts(cell.extent(0), hidden);
  Kokkos::parallel_for(
      "krossfold::kernels::lstm_cell", parts.policy(exec), KOKKOS_LAMBDA(std::int64_t k) {
        const auto part = parts.part(k);  // no structured binding: clang 14 takes none as the bound of a simd loop
        const std::int64_t row = part.row;
        const int first = part.first, last = part.last;
        float* a = &gates(row, 0);
        float *c = &cell(row, 0), *t = &tanh_cell(row, 0), *y = &output(row, 0);
        const float *before = &cell_before(row, 0), *b = &bias(0);
        KROSSFOLD_SIMD()
        for (int h = first; h < last; ++h) {
          const float i = math::sigmoid(a[h] + b[h]);
          const float f = math::sigmoid(a[hidden + h] + b[hidden + h]);
          const float g = math::tanh(a[2 * hidden + h] + b[2 * hidden + h]);
          const float o = math::sigmoid(a[3 * hidden + h] + b[3 * hidden + h]);
          const float value = f * before[h] + i * g;
          const float bounded = math::tanh(value);
          a[h] = i;
          a[hidden + h] = f;
          a[2 * hidden + h] = g;
          a[3 * hidden + h] = o;
          c[h] = value;
          t[h] = bounded;
          y[h] = o * bounded;
        }
      });
}

template <class Exec>
void lstm_cell_backward(const Exec& exec, const Matrix<float, Exec>& dgates, const Matrix<float, Exec>& dcell,
                        const Matrix<const float, Exec>& dy, const Matrix<const float, Exec>& gates,
                        const Matrix<const float, Exec>& tanh_cell, const Matrix<const float, Exec>& cell_before) {
  const int hidden = static_cast<int>(dcell.extent(1));
  const RowParts<Exec> parts(dcell.extent(0), hidden);
  Kokkos::parallel_for(
      "krossfold::kernels::lstm_cell_backward", parts.policy(exec), KOKKOS_LAMBDA(std::int64_t k) {
        const auto part = parts.part(k);  // no structured binding: clang 14 takes none as the bound of a simd loop
        const std::int64_t row = part.row;
        const int first = part.first, last = part.last;
        const float *a = &gates(row, 0), *t = &tanh_cell(row, 0), *before = &cell_before(row, 0), *d = &dy(row, 0);
        float *da = &dgates(row, 0), *dc = &dcell(row, 0);
        KROSSFOLD_SIMD()
        for (int h = first; h < last; ++h) {
          const float i = a[h], f = a[hidden + h], g = a[2 * hidden + h], o = a[3 * hidden + h];
          const float by_cell = dc[h] + d[h] * o * (1 - t[h] * t[h]);
          da[h] = by_cell * g * i * (1 - i);
          da[hidden + h] = by_cell * before[h] * f * (1 - f);
          da[2 * hidden + h] = by_cell * i * (1 - g * g);
          da[3 * hidden + h] = d[h] * t[h] * o * (1 - o);
          dc[h] = by_cell * f;
        }
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                           \
  template void lstm_cell<Exec>(const Exec&, const Matrix<float, Exec>&, const Matrix<float, Exec>&,          \
                                const Matrix<float, Exec>&, const Matrix<float, Exec>&,                       \
                                const Matrix<const float, Exec>&, const Vector<const float, Exec>&);          \
  template void lstm_cell_backward<Exec>(const Exec&, const Matrix<float, Exec>&, const Matrix<float, Exec>&, \
                                         const Matrix<const float, Exec>&, const Matrix<const float, Exec>&,  \
                                         const Matrix<const float, Exec>&, const Matrix<const float, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
