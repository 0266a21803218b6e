// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/kernel_rows.hpp"

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::svm {

namespace {

// Not in the constructor: nvcc allows no device lambda there.
template <class Exec>
Vector<KernelRow, Exec> rows_of(const Exec& exec, const Matrix<const float, Exec>& kernel) {
  const int n = static_cast<int>(kernel.extent(0));
  const Vector<KernelRow, Exec> rows(uninitialized("krossfold::svm::kernel_rows"), n);
  Kokkos::parallel_for(
      "krossfold::svm::kernel_rows", Kokkos::RangePolicy<Exec>(exec, 0, n),
      KOKKOS_LAMBDA(int i) { rows(i).value = &kernel(i, 0); });
  return rows;
}

}  // namespace

template <class Exec>
WholeKernel<Exec>::WholeKernel(const Exec& exec, const Matrix<const float, Exec>& kernel) : kernel_(kernel) {
  const int n = static_cast<int>(kernel.extent(0));
  if (static_cast<int>(kernel.stride(0)) < padded<float>(n)) {
    throw_run_error("the rows of a kernel matrix are not padded to full vectors",
                    text("stride ", kernel.stride(0), ", n ", n), "Allocate it with padded_matrix.");
  }
  this->row = rows_of(exec, kernel);
  this->complete = true;
  this->max_rows = n;
}

#define KROSSFOLD_INSTANTIATE(Exec) template class WholeKernel<Exec>;
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
