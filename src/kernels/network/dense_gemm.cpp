// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <type_traits>

#include "dense_forms.hpp"
#include "krossfold/kernels/gemm.hpp"

namespace krossfold::kernels {
namespace {

/// Rows per block. On the host, its weights and velocity stay in cache between their three uses.
template <class Exec>
constexpr std::int64_t block_rows = std::is_same_v<Exec, Host> ? 256 : std::int64_t{1} << 20;

template <class Exec>
Matrix<const float, Exec> matrix(const Vector<const float, Exec>& entries, std::int64_t first, std::int64_t rows,
                                 int columns) {
  return Matrix<const float, Exec>(entries.data() + first * columns, rows, columns);
}

template <class Exec>
Matrix<float, Exec> writable(const Vector<float, Exec>& entries, std::int64_t first, std::int64_t rows, int columns) {
  return Matrix<float, Exec>(entries.data() + first * columns, rows, columns);
}

}  // namespace

template <class Exec>
void DenseGemm::forward(const Exec& exec, const DenseForward<Exec>& a, const DenseShape& shape) {
  const int stride = shape.stride(), batch = shape.batch;
  // Summing in blocks of inputs keeps rounding errors from growing with their number.
  constexpr std::int64_t block = 4096;
  for (std::int64_t first = 0; first < shape.inputs; first += block) {
    const std::int64_t count = std::min(block, shape.inputs - first);
    gemm<Exec, float>(exec, writable<Exec>(a.work, 0, batch, stride), matrix<Exec>(a.x, first, count, batch),
                      Transpose::yes, matrix<Exec>(a.weight, first, count, stride), Transpose::no, 1,
                      first == 0 ? 0 : 1, shape.precision);
  }
  Kokkos::parallel_for(
      "krossfold::kernels::dense_tiles", Kokkos::RangePolicy<Exec>(exec, 0, shape.tile_size()), KOKKOS_LAMBDA(int k) {
        const int lane = k % unit_tile, s = k / unit_tile % batch, tile = k / unit_tile / batch;
        a.partial(k) = a.work(s * stride + tile * unit_tile + lane);
      });
}

template <class Exec>
void DenseGemm::backward(const Exec& exec, const DenseBackward<Exec>& a, const DenseShape& shape,
                         const DenseUpdate& update) {
  const int stride = shape.stride(), batch = shape.batch;
  Kokkos::parallel_for(
      "krossfold::kernels::dense_samples", Kokkos::RangePolicy<Exec>(exec, 0, shape.tile_size()), KOKKOS_LAMBDA(int k) {
        const int lane = k % unit_tile, s = k / unit_tile % batch, tile = k / unit_tile / batch;
        a.work(s * stride + tile * unit_tile + lane) = a.dy(k);
      });
  const Vector<const float, Exec> by_sample = a.work, old_weight = a.weight;
  const auto d = matrix<Exec>(by_sample, 0, batch, stride);
  for (std::int64_t first = 0; first < shape.inputs; first += block_rows<Exec>) {
    const std::int64_t count = std::min(block_rows<Exec>, shape.inputs - first);
    if (update.input_gradient) {
      gemm<Exec, float>(exec, writable<Exec>(a.dx, first, count, batch), matrix<Exec>(old_weight, first, count, stride),
                        Transpose::no, d, Transpose::yes, 1, 0, shape.precision);
    }
    if (!update.weights) continue;
    gemm<Exec, float>(exec, writable<Exec>(a.velocity, first, count, stride), matrix<Exec>(a.x, first, count, batch),
                      Transpose::no, d, Transpose::no, 1, update.momentum, shape.precision);
    const float rate = update.rate;
    Kokkos::parallel_for(
        "krossfold::kernels::dense_step",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, first * stride, (first + count) * stride),
        KOKKOS_LAMBDA(std::int64_t k) { a.weight(k) -= rate * a.velocity(k); });
  }
  if (update.input_gradient && update.input_is_rectified) {
    Kokkos::parallel_for(
        "krossfold::kernels::dense_mask",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, shape.inputs * batch),
        KOKKOS_LAMBDA(std::int64_t k) { a.dx(k) = a.x(k) != 0 ? a.dx(k) : 0.0f; });
  }
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                   \
  template void DenseGemm::forward<Exec>(const Exec&, const DenseForward<Exec>&, const DenseShape&);  \
  template void DenseGemm::backward<Exec>(const Exec&, const DenseBackward<Exec>&, const DenseShape&, \
                                          const DenseUpdate&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
