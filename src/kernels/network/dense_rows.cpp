// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <utility>

#include "dense_forms.hpp"
#include "krossfold/core/pack.hpp"

namespace krossfold::kernels {
namespace {

constexpr int parts = unit_tile / pack_size;  ///< packs per tile
constexpr int rows_at_once = 8;               ///< rows for which forward reads and writes each sum once
constexpr int rows_ahead = 4;                 ///< prefetch distance of backward, in rows

/// y += rows of weights times inputs, for `rows` adjacent inputs.
template <int rows>
void forward_rows(float* y, const float* weight, const float* x, const DenseShape& shape, std::int64_t last_row) {
  const int stride = shape.stride(), batch = shape.batch;
  float factor[dense_rows_batch][rows];
  for (int s = 0; s < batch; ++s) {
    for (int r = 0; r < rows; ++r) factor[s][r] = x[r * batch + s];
  }
  const std::int64_t ahead = std::min<std::int64_t>(rows_at_once, last_row) * stride;
  for (int h = 0; h < stride; h += pack_size) {
    Pack w[rows];
    KROSSFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      w[r] = load_pack(weight + std::int64_t{r} * stride + h);
      __builtin_prefetch(weight + ahead + std::int64_t{r} * stride + h, 0, 2);
    }
    float* sum = y + shape.tile_index(h, 0);
    for (int s = 0; s < batch; ++s, sum += unit_tile) {
      Pack total = load_pack(sum);
      KROSSFOLD_UNROLL
      for (int r = 0; r < rows; ++r) total += w[r] * all_lanes(factor[s][r]);
      store_pack(sum, total);
    }
  }
}

/// Data shared by all rows of a backward pass.
struct RowPass {
  const float* dy;
  int batch, tiles;
  float rate, momentum;
};

/// Processes a row for the `count` samples sample[i] with inputs x[sample[i]], packing their gradients into dx[i].
/// Without `weights`, it computes these gradients only.
template <int count, bool weights>
void backward_row(const RowPass& pass, const int* sample, const float* x, float* weight, float* velocity, float* dx,
                  std::int64_t ahead) {
  constexpr int room = std::max(count, 1);
  Pack sum[room], factor[room];
  const float* dy[room];
  KROSSFOLD_UNROLL
  for (int i = 0; i < count; ++i) {
    sum[i] = Pack{};
    factor[i] = all_lanes(x[sample[i]]);
    dy[i] = pass.dy + sample[i] * unit_tile;
  }
  const Pack momentum = all_lanes(pass.momentum), rate = all_lanes(pass.rate);
  const int tile_stride = pass.batch * unit_tile;
  int from = 0;
  for (int tile = 0; tile < pass.tiles; ++tile, from += tile_stride) {
    KROSSFOLD_UNROLL
    for (int part = 0; part < parts; ++part) {
      const int at = tile * unit_tile + part * pack_size;
      const Pack w = load_pack(weight + at);
      Pack even{}, odd{};
      __builtin_prefetch(weight + at + ahead, 0, 3);
      if constexpr (weights) {
        even = momentum * load_pack(velocity + at);
        __builtin_prefetch(velocity + at + ahead, 0, 3);
      }
      KROSSFOLD_UNROLL
      for (int i = 0; i < count; ++i) {
        const Pack d = load_pack(dy[i] + from + part * pack_size);
        sum[i] += d * w;
        if constexpr (weights) (i % 2 == 0 ? even : odd) += d * factor[i];
      }
      if constexpr (weights) {
        if (count > 1) even += odd;
        store_pack(velocity + at, even);
        store_pack(weight + at, w - rate * even);
      }
    }
  }
  if constexpr (count > 0 && count <= pack_size) {
    store_pack(dx, lane_sums<count>(sum));
  } else if constexpr (count > pack_size) {
    store_pack(dx, lane_sums<pack_size>(sum));
    store_pack(dx + pack_size, lane_sums<count - pack_size>(sum + pack_size));
  }
}

using BackwardRow = decltype(&backward_row<0, true>);

template <bool weights, int... count>
constexpr std::array<BackwardRow, sizeof...(count)> backward_rows(std::integer_sequence<int, count...>) {
  return {&backward_row<count, weights>...};
}

constexpr auto counts = std::make_integer_sequence<int, dense_rows_batch + 1>();
constexpr auto step_row_of = backward_rows<true>(counts), gradient_row_of = backward_rows<false>(counts);

}  // namespace

template <class Exec>
void DenseRows::forward(const Exec& exec, const DenseForward<Exec>& a, const DenseShape& shape) {
  const int blocks = dense_partials(DenseForm::rows, shape.inputs);
  Kokkos::parallel_for("krossfold::kernels::dense_forward", Kokkos::RangePolicy<Exec>(exec, 0, blocks), [=](int block) {
    const std::int64_t first = std::int64_t{block} * dense_block;
    const std::int64_t last = std::min(first + dense_block, shape.inputs);
    float* y = a.partial.data() + std::int64_t{block} * shape.tile_size();
    std::fill_n(y, shape.tile_size(), 0.0f);
    std::int64_t i = first;
    for (; i + rows_at_once <= last; i += rows_at_once) {
      forward_rows<rows_at_once>(y, a.weight.data() + i * shape.stride(), a.x.data() + i * shape.batch, shape,
                                 shape.inputs - rows_at_once - i);
    }
    for (; i < last; ++i) {
      forward_rows<1>(y, a.weight.data() + i * shape.stride(), a.x.data() + i * shape.batch, shape, 0);
    }
  });
}

template <class Exec>
void DenseRows::backward(const Exec& exec, const DenseBackward<Exec>& a, const DenseShape& shape,
                         const DenseUpdate& update) {
  constexpr int rows = 64;
  const RowPass pass{a.dy.data(), shape.batch, shape.tiles(), update.rate, update.momentum};
  const int stride = shape.stride(), batch = shape.batch;
  const auto blocks = (shape.inputs + rows - 1) / rows;
  const auto& row_of = update.weights ? step_row_of : gradient_row_of;
  Kokkos::parallel_for("krossfold::kernels::dense_backward", Kokkos::RangePolicy<Exec>(exec, 0, blocks),
                       [=, &row_of](std::int64_t block) {
                         const std::int64_t last = std::min((block + 1) * rows, shape.inputs);
                         for (std::int64_t i = block * rows; i < last; ++i) {
                           const float* input = a.x.data() + i * batch;
                           int sample[dense_rows_batch + 1], count = 0;
                           for (int s = 0; s < batch; ++s) {
                             sample[count] = s;
                             count += input[s] != 0 || !update.input_is_rectified ? 1 : 0;
                           }
                           float gradient[2 * pack_size + dense_rows_batch];
                           const std::int64_t ahead = std::min<std::int64_t>(rows_ahead, shape.inputs - 1 - i) * stride;
                           row_of[count](pass, sample, input, a.weight.data() + i * stride,
                                         update.weights ? a.velocity.data() + i * stride : nullptr, gradient, ahead);
                           if (!update.input_gradient) continue;
                           float* out = a.dx.data() + i * batch;
                           for (int s = 0; s < batch; ++s) out[s] = 0;
                           for (int k = 0; k < count; ++k) out[sample[k]] = gradient[k];
                         }
                       });
}

template void DenseRows::forward<Host>(const Host&, const DenseForward<Host>&, const DenseShape&);
template void DenseRows::backward<Host>(const Host&, const DenseBackward<Host>&, const DenseShape&, const DenseUpdate&);

}  // namespace krossfold::kernels
