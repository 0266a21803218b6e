// SPDX-License-Identifier: BSD-3-Clause
#include "dense_forms.hpp"

namespace krossfold::kernels {

/// A gradient of one input for each sample, summed over threads.
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
void DenseTeams::forward(const Exec& exec, const Vector<float, Exec>& partial, const Vector<const float, Exec>& weight,
                         const Vector<const float, Exec>& x, const DenseShape& shape) {
  // One thread sums one unit over a block of inputs for all samples; neighbouring threads read neighbouring weights.
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
          const float w = weight(i * stride + h);
          const float* input = &x(i * batch);
          // A fixed length, so that the sums stay in registers.
          for (int s = 0; s < dense_rows_batch; ++s) {
            if (s < batch) sum[s] += w * input[s];
          }
        }
        float* y = &partial(block * shape.tile_size() + shape.tile_index(h, 0));
        for (int s = 0; s < dense_rows_batch; ++s) {
          if (s < batch) y[s * unit_tile] = sum[s];
        }
      });
}

template <class Exec>
void DenseTeams::backward(const Exec& exec, const Vector<float, Exec>& weight, const Vector<float, Exec>& velocity,
                          const Vector<float, Exec>& dx, const Vector<const float, Exec>& x,
                          const Vector<const float, Exec>& dy, const DenseShape& shape, const DenseUpdate& update) {
  // The vector lanes of a thread share a row, the threads of a team take one row each.
  constexpr int rows = 8;
  constexpr int lanes = std::is_same_v<Exec, Host> ? 1 : 32;
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Member = typename Policy::member_type;
  const int stride = shape.stride(), batch = shape.batch;
  const int teams = static_cast<int>((shape.inputs + rows - 1) / rows);
  Kokkos::parallel_for(
      "krossfold::kernels::dense_backward", Policy(exec, teams, Kokkos::AUTO, lanes),
      KOKKOS_LAMBDA(const Member& member) {
        const std::int64_t first = std::int64_t{member.league_rank()} * rows;
        const int count = static_cast<int>(shape.inputs - first < rows ? shape.inputs - first : rows);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count), [&](int row) {
          const std::int64_t i = first + row;
          const float* input = &x(i * batch);
          float *w = &weight(i * stride), *v = update.weights ? &velocity(i * stride) : nullptr;
          SampleSums total;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(member, stride),
              [&](int h, SampleSums& sum) {
                const float* d = &dy(shape.tile_index(h, 0));
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
                dx(i * batch + s) = input[s] != 0 || !update.input_is_rectified ? total.value[s] : 0.0f;
              }
            });
          }
        });
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                  \
  template void DenseTeams::forward<Exec>(const Exec&, const Vector<float, Exec>&, const Vector<const float, Exec>&, \
                                          const Vector<const float, Exec>&, const DenseShape&);                      \
  template void DenseTeams::backward<Exec>(const Exec&, const Vector<float, Exec>&, const Vector<float, Exec>&,      \
                                           const Vector<float, Exec>&, const Vector<const float, Exec>&,             \
                                           const Vector<const float, Exec>&, const DenseShape&, const DenseUpdate&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
