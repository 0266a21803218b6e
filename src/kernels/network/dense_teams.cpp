// SPDX-License-Identifier: BSD-3-Clause
#include "dense_forms.hpp"

namespace krossfold::kernels {

/// The gradient of one input for each sample, reduced over threads.
struct SampleSums {
  float value[dense_rows_batch];

  KOKKOS_INLINE_FUNCTION SampleSums() {
    for (float& v : value) v = 0;
  }
  KOKKOS_INLINE_FUNCTION SampleSums& operator+=(const SampleSums& other) {
    for (int s = 0; s < dense_rows_batch; ++s) value[s] += other.value[s];
    return *this;
  }
  KOKKOS_INLINE_FUNCTION void operator+=(const volatile SampleSums& other) volatile {
    for (int s = 0; s < dense_rows_batch; ++s) value[s] = value[s] + other.value[s];
  }
};

}  // namespace krossfold::kernels

namespace Kokkos {
template <>
struct reduction_identity<krossfold::kernels::SampleSums> {
  KOKKOS_FORCEINLINE_FUNCTION static krossfold::kernels::SampleSums sum() { return {}; }
};
}  // namespace Kokkos

namespace krossfold::kernels {

template <class Exec>
void DenseTeams::forward(const Exec& exec, const DenseForward<Exec>& a, const DenseShape& shape) {
  // Each thread sums one unit over a block of inputs for all samples; adjacent threads read adjacent weights.
  const int stride = shape.stride(), batch = shape.batch;
  const int blocks = dense_partials(DenseForm::teams, shape.inputs);
  Kokkos::parallel_for(
      "krossfold::kernels::dense_forward", Kokkos::RangePolicy<Exec>(exec, 0, std::int64_t{blocks} * stride),
      KOKKOS_LAMBDA(std::int64_t k) {
        const std::int64_t block = k / stride;
        const int h = static_cast<int>(k - block * stride);
        const std::int64_t first = block * dense_block;
        const std::int64_t last = first + dense_block < shape.inputs ? first + dense_block : shape.inputs;
        float sum[dense_rows_batch];
        for (int s = 0; s < dense_rows_batch; ++s) sum[s] = 0;
        for (std::int64_t i = first; i < last; ++i) {
          const float w = a.weight(i * stride + h);
          const float* input = &a.x(i * batch);
          // The fixed trip count keeps the sums in registers.
          for (int s = 0; s < dense_rows_batch; ++s) {
            if (s < batch) sum[s] += w * input[s];
          }
        }
        float* y = &a.partial(block * shape.tile_size() + shape.tile_index(h, 0));
        for (int s = 0; s < dense_rows_batch; ++s) {
          if (s < batch) y[s * unit_tile] = sum[s];
        }
      });
}

template <class Exec>
void DenseTeams::backward(const Exec& exec, const DenseBackward<Exec>& a, const DenseShape& shape,
                          const DenseUpdate& update) {
  // Each thread of a team processes one row, distributed over its vector lanes.
  constexpr int rows = 8;
  constexpr int lanes = std::is_same_v<Exec, Host> ? 1 : 32;
  const int stride = shape.stride(), batch = shape.batch;
  const int teams = static_cast<int>((shape.inputs + rows - 1) / rows);
  Kokkos::parallel_for(
      "krossfold::kernels::dense_backward", Kokkos::TeamPolicy<Exec>(exec, teams, Kokkos::AUTO, lanes),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const std::int64_t first = std::int64_t{member.league_rank()} * rows;
        const int count = static_cast<int>(shape.inputs - first < rows ? shape.inputs - first : rows);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count), [&](int row) {
          const std::int64_t i = first + row;
          const float* input = &a.x(i * batch);
          float *w = &a.weight(i * stride), *v = update.weights ? &a.velocity(i * stride) : nullptr;
          SampleSums total;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(member, stride),
              [&](int h, SampleSums& sum) {
                const float* d = &a.dy(shape.tile_index(h, 0));
                const float before = w[h];
                float step = update.weights ? update.momentum * v[h] : 0;
                for (int s = 0; s < dense_rows_batch; ++s) {
                  if (s < batch) {
                    step += d[s * unit_tile] * input[s];
                    sum.value[s] += d[s * unit_tile] * before;
                  }
                }
                if (update.weights) {
                  v[h] = step;
                  w[h] = before - update.rate * step;
                }
              },
              Kokkos::Sum<SampleSums>(total));
          if (update.input_gradient) {
            Kokkos::single(Kokkos::PerThread(member), [&] {
              for (int s = 0; s < batch; ++s) {
                a.dx(i * batch + s) = input[s] != 0 || !update.input_is_rectified ? total.value[s] : 0.0f;
              }
            });
          }
        });
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                    \
  template void DenseTeams::forward<Exec>(const Exec&, const DenseForward<Exec>&, const DenseShape&);  \
  template void DenseTeams::backward<Exec>(const Exec&, const DenseBackward<Exec>&, const DenseShape&, \
                                           const DenseUpdate&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
