// SPDX-License-Identifier: BSD-3-Clause
#include "dense_forms.hpp"

namespace krossfold::kernels {

/// Rows of weights that one thread changes at a time, so that it reads dy once for all of them and has more loads under way.
inline constexpr int rows_at_once = 2;

/// The gradients of so many inputs for each sample, reduced over lanes.
struct InputSums {
  float value[rows_at_once][dense_rows_batch];

  KOKKOS_INLINE_FUNCTION InputSums() {
    for (auto& row : value) {
      for (float& v : row) v = 0;
    }
  }
  KOKKOS_INLINE_FUNCTION InputSums& operator+=(const InputSums& other) {
    for (int r = 0; r < rows_at_once; ++r) {
      for (int s = 0; s < dense_rows_batch; ++s) value[r][s] += other.value[r][s];
    }
    return *this;
  }
  KOKKOS_INLINE_FUNCTION void operator+=(const volatile InputSums& other) volatile {
    for (int r = 0; r < rows_at_once; ++r) {
      for (int s = 0; s < dense_rows_batch; ++s) value[r][s] = value[r][s] + other.value[r][s];
    }
  }
};

}  // namespace krossfold::kernels

namespace Kokkos {
template <>
struct reduction_identity<krossfold::kernels::InputSums> {
  KOKKOS_FORCEINLINE_FUNCTION static krossfold::kernels::InputSums sum() { return {}; }
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
  // Each thread of a team processes a few rows at once, distributed over its vector lanes.
  constexpr int rows = 8, threads = rows / rows_at_once;
  constexpr int lanes = std::is_same_v<Exec, Host> ? 1 : 32;
  const int stride = shape.stride(), batch = shape.batch;
  const int teams = static_cast<int>((shape.inputs + rows - 1) / rows);
  Kokkos::parallel_for(
      "krossfold::kernels::dense_backward", Kokkos::TeamPolicy<Exec>(exec, teams, Kokkos::AUTO, lanes),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, threads), [&](int thread) {
          const std::int64_t first = std::int64_t{member.league_rank()} * rows + thread * rows_at_once;
          float x[rows_at_once][dense_rows_batch];
          float *w[rows_at_once], *v[rows_at_once];
          bool is_there[rows_at_once];
          if (first >= shape.inputs) return;
          for (int r = 0; r < rows_at_once; ++r) {
            is_there[r] = first + r < shape.inputs;
            const std::int64_t i = is_there[r] ? first + r : first;
            w[r] = &a.weight(i * stride);
            v[r] = update.weights ? &a.velocity(i * stride) : nullptr;
            for (int s = 0; s < dense_rows_batch; ++s) x[r][s] = s < batch ? a.x(i * batch + s) : 0.0f;
          }
          InputSums total;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(member, stride),
              [&](int h, InputSums& sum) {
                const float* d = &a.dy(shape.tile_index(h, 0));
                float before[rows_at_once], step[rows_at_once];
                for (int r = 0; r < rows_at_once; ++r) {
                  before[r] = w[r][h];
                  step[r] = update.weights ? update.momentum * v[r][h] : 0.0f;
                }
                for (int s = 0; s < dense_rows_batch; ++s) {
                  if (s < batch) {
                    const float gradient = d[s * unit_tile];
                    for (int r = 0; r < rows_at_once; ++r) {
                      step[r] += gradient * x[r][s];
                      sum.value[r][s] += gradient * before[r];
                    }
                  }
                }
                if (!update.weights) return;
                for (int r = 0; r < rows_at_once; ++r) {
                  if (!is_there[r]) continue;
                  v[r][h] = step[r];
                  w[r][h] = before[r] - update.rate * step[r];
                }
              },
              Kokkos::Sum<InputSums>(total));
          if (!update.input_gradient) return;
          Kokkos::single(Kokkos::PerThread(member), [&] {
            for (int r = 0; r < rows_at_once; ++r) {
              if (!is_there[r]) continue;
              for (int s = 0; s < dense_rows_batch; ++s) {
                if (s < batch)
                  a.dx((first + r) * batch + s) = x[r][s] != 0 || !update.input_is_rectified ? total.value[r][s] : 0.0f;
              }
            }
          });
        });
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                    \
  template void DenseTeams::forward<Exec>(const Exec&, const DenseForward<Exec>&, const DenseShape&);  \
  template void DenseTeams::backward<Exec>(const Exec&, const DenseBackward<Exec>&, const DenseShape&, \
                                           const DenseUpdate&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
