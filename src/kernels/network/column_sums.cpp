// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/column_sums.hpp"

#include "krossfold/core/simd.hpp"
#include "row_parts.hpp"

namespace krossfold::kernels {
namespace {

/// sum(c) = [sum(c) +] the sum of partial(b, c) over the blocks b in order.
template <class Exec>
void add_blocks(const Exec& exec, const Vector<float, Exec>& sum, const Vector<const float, Exec>& partial,
                std::int64_t blocks, bool add) {
  const auto columns = static_cast<std::int64_t>(sum.extent(0));
  Kokkos::parallel_for(
      "krossfold::kernels::add_blocks", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, columns),
      KOKKOS_LAMBDA(std::int64_t c) {
        float total = add ? sum(c) : 0.0f;
        for (std::int64_t b = 0; b < blocks; ++b) total += partial(b * columns + c);
        sum(c) = total;
      });
}

}  // namespace

template <class Exec>
void column_sums(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& x, bool add,
                 const Vector<float, Exec>& partial) {
  const auto rows = static_cast<std::int64_t>(x.extent(0));
  const int columns = static_cast<int>(x.extent(1));
  const RowParts<Exec> parts(static_cast<std::size_t>(sum_blocks(rows)), columns);
  Kokkos::parallel_for(
      "krossfold::kernels::column_sums", parts.policy(exec), KOKKOS_LAMBDA(std::int64_t k) {
        const auto part = parts.part(k);  // no structured binding: clang 14 takes none as the bound of a simd loop
        const std::int64_t block = part.row;
        const int first = part.first, last = part.last;
        const std::int64_t end = (block + 1) * sum_block < rows ? (block + 1) * sum_block : rows;
        float* total = &partial(block * columns);
        for (int c = first; c < last; ++c) total[c] = 0;
        for (std::int64_t r = block * sum_block; r < end; ++r) {
          const float* from = &x(r, 0);
          KROSSFOLD_SIMD()
          for (int c = first; c < last; ++c) total[c] += from[c];
        }
      });
  add_blocks<Exec>(exec, sum, partial, sum_blocks(rows), add);
}

template <class Exec>
void symbol_sums(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& x,
                 const Vector<const int, Exec>& symbol, int symbols, const Vector<float, Exec>& partial) {
  const auto rows = static_cast<std::int64_t>(x.extent(0));
  const int columns = static_cast<int>(x.extent(1));
  const RowParts<Exec> parts(static_cast<std::size_t>(sum_blocks(rows)), columns);
  Kokkos::parallel_for(
      "krossfold::kernels::symbol_sums", parts.policy(exec), KOKKOS_LAMBDA(std::int64_t k) {
        const auto part = parts.part(k);  // no structured binding: clang 14 takes none as the bound of a simd loop
        const std::int64_t block = part.row;
        const int first = part.first, last = part.last;
        const std::int64_t end = (block + 1) * sum_block < rows ? (block + 1) * sum_block : rows;
        float* all = &partial(block * symbols * columns);
        for (int s = 0; s < symbols; ++s) {
          for (int c = first; c < last; ++c) all[s * columns + c] = 0;
        }
        for (std::int64_t r = block * sum_block; r < end; ++r) {
          const float* from = &x(r, 0);
          float* total = all + symbol(r) * columns;
          KROSSFOLD_SIMD()
          for (int c = first; c < last; ++c) total[c] += from[c];
        }
      });
  add_blocks<Exec>(exec, sum, partial, sum_blocks(rows), false);
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                \
  template void column_sums<Exec>(const Exec&, const Vector<float, Exec>&, const Matrix<const float, Exec>&, bool, \
                                  const Vector<float, Exec>&);                                                     \
  template void symbol_sums<Exec>(const Exec&, const Vector<float, Exec>&, const Matrix<const float, Exec>&,       \
                                  const Vector<const int, Exec>&, int, const Vector<float, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
