// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/decision.hpp"

#include <algorithm>

#include "krossfold/kernels/gather.hpp"
#include "krossfold/kernels/gemm.hpp"

namespace krossfold::svm {

template <class Exec>
void decision_values(const Exec& exec, const Matrix<double, Exec>& value, const Matrix<const float, Exec>& kernel,
                     const Vector<const int, Exec>& row, const Vector<const int, Exec>& column,
                     const Matrix<const double, Exec>& coefficient, const Vector<const double, Exec>& bias) {
  const int rows = static_cast<int>(row.extent(0)), sets = static_cast<int>(bias.extent(0));
  const int block = decision_block(static_cast<int>(column.extent(0)));
  const Matrix<double, Exec> buffer(uninitialized("krossfold::svm::decision_block"), std::min(block, rows),
                                    column.extent(0));
  for (int first = 0; first < rows; first += block) {
    const auto part = Kokkos::make_pair(first, std::min(first + block, rows));
    const Matrix<double, Exec> values =
        Kokkos::subview(buffer, Kokkos::make_pair(0, part.second - part.first), Kokkos::ALL);
    const Vector<const int, Exec> row_part = Kokkos::subview(row, part);
    kernels::gather<Exec, double>(exec, values, kernel, row_part, column);
    const Matrix<double, Exec> out = Kokkos::subview(value, part, Kokkos::ALL);
    kernels::gemm<Exec, double>(exec, out, values, kernels::Transpose::no, coefficient, kernels::Transpose::yes);
  }
  Kokkos::parallel_for(
      "krossfold::svm::add_bias", Kokkos::RangePolicy<Exec>(exec, 0, rows), KOKKOS_LAMBDA(int r) {
        for (int s = 0; s < sets; ++s) value(r, s) += bias(s);
      });
  fence(exec, "krossfold::svm::decision_values");
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                               \
  template void decision_values<Exec>(const Exec&, const Matrix<double, Exec>&, const Matrix<const float, Exec>&, \
                                      const Vector<const int, Exec>&, const Vector<const int, Exec>&,             \
                                      const Matrix<const double, Exec>&, const Vector<const double, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
