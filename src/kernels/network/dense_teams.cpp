// SPDX-License-Identifier: BSD-3-Clause
#include "dense_forms.hpp"
#include "krossfold/core/bounded_teams.hpp"
#include "sum_table.hpp"

namespace krossfold::kernels {

/// Rows of weights that one thread changes at a time, so that it reads dy once for all of them and has more loads under way.
inline constexpr int rows_at_once = 2;
inline constexpr int units_at_once = 4;  ///< adjacent units, which a thread reads as one; they divide a tile

/// The gradients of so many inputs for each of up to `most` samples, reduced over lanes.
template <int most>
using InputSums = SumTable<rows_at_once, most>;

namespace {

/// What is read or written of adjacent units at once.
struct alignas(sizeof(float) * units_at_once) Units {
  float value[units_at_once];
};

KOKKOS_INLINE_FUNCTION Units load(const float* from) { return *reinterpret_cast<const Units*>(from); }
KOKKOS_INLINE_FUNCTION void store(float* to, const Units& units) { *reinterpret_cast<Units*>(to) = units; }

/// Calls work with a bound of the batch that is known to the compiler, so that sums stay in registers.
template <class Work>
void with_most_samples(int batch, const Work& work) {
  if (batch <= 5) {
    work(std::integral_constant<int, 5>());
  } else if (batch <= 10) {
    work(std::integral_constant<int, 10>());
  } else {
    work(std::integral_constant<int, dense_rows_batch>());
  }
}

/// Whether a loop over up to `most` samples computes sample s. Few of them are computed all, those beyond the last from a copy of it and
/// for nothing, as then no load waits for a condition; more would take too many registers.
template <int most>
KOKKOS_INLINE_FUNCTION bool is_loaded(int s, int batch) {
  return most <= 10 || s < batch;
}

/// Each thread sums a few units over a block of inputs for all samples; adjacent threads read adjacent weights.
template <int most, class Exec>
void forward_of_blocks(const Exec& exec, const DenseForward<Exec>& a, const DenseShape& shape) {
  constexpr int inputs_at_once = most <= 10 ? 8 : 4;  // loads that wait for memory together
  const int stride = shape.stride(), batch = shape.batch, packs = stride / units_at_once;
  const int block_inputs = dense_team_block(shape.inputs), blocks = dense_partials(DenseForm::teams, shape.inputs);
  const std::int64_t inputs = shape.inputs;
  const float *weight = a.weight.data(), *x = a.x.data();
  float* partial = a.partial.data();
  Kokkos::parallel_for(
      "krossfold::kernels::dense_forward", Kokkos::RangePolicy<Exec>(exec, 0, std::int64_t{blocks} * packs),
      KOKKOS_LAMBDA(std::int64_t k) {
        const std::int64_t block = k / packs;
        const int h = static_cast<int>(k - block * packs) * units_at_once;
        const std::int64_t first = block * block_inputs;
        const std::int64_t last = first + block_inputs < inputs ? first + block_inputs : inputs;
        float sum[most][units_at_once];
        for (int s = 0; s < most; ++s) {
          for (int u = 0; u < units_at_once; ++u) sum[s][u] = 0;
        }
        const auto add = [&](std::int64_t i, const Units& w) {
          const float* input = x + i * batch;
          // The fixed trip count keeps the sums in registers.
          for (int s = 0; s < most; ++s) {
            if (is_loaded<most>(s, batch)) {
              const float value = input[s < batch ? s : batch - 1];
              for (int u = 0; u < units_at_once; ++u) sum[s][u] += w.value[u] * value;
            }
          }
        };
        std::int64_t i = first;
        for (; i + inputs_at_once <= last; i += inputs_at_once) {
          Units w[inputs_at_once];
          for (int j = 0; j < inputs_at_once; ++j) w[j] = load(weight + (i + j) * stride + h);
          for (int j = 0; j < inputs_at_once; ++j) add(i + j, w[j]);
        }
        for (; i < last; ++i) add(i, load(weight + i * stride + h));
        float* y = partial + block * shape.tile_size() + shape.tile_index(h, 0);
        for (int s = 0; s < most; ++s) {
          if (s < batch) {
            Units own;
            for (int u = 0; u < units_at_once; ++u) own.value[u] = sum[s][u];
            store(y + s * unit_tile, own);
          }
        }
      });
}

/// Each thread of a team changes a few rows at once, distributed over its vector lanes.
template <int most, class Exec>
void backward_of_rows(const Exec& exec, const DenseBackward<Exec>& a, const DenseShape& shape,
                      const DenseUpdate& update) {
  constexpr int threads = 4, rows = threads * rows_at_once;
  constexpr int lanes = std::is_same_v<Exec, Host> ? 1 : 32;
  constexpr int teams_at_once = most <= 10 ? 4 : 3;  // more samples take more registers
  const int stride = shape.stride(), batch = shape.batch;
  const std::int64_t inputs = shape.inputs;
  const float *x_of = a.x.data(), *dy = a.dy.data();
  float *weight = a.weight.data(), *dx = a.dx.data();
  float* velocity = update.weights ? a.velocity.data() : weight;  // not read where there is none
  Kokkos::parallel_for(
      "krossfold::kernels::dense_backward",
      bounded_teams<threads * lanes, teams_at_once>(exec, static_cast<int>((inputs + rows - 1) / rows), threads, lanes),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, threads), [&](int thread) {
          const std::int64_t first = std::int64_t{member.league_rank()} * rows + thread * rows_at_once;
          float x[rows_at_once][most];
          float *w[rows_at_once], *v[rows_at_once];
          bool is_there[rows_at_once];
          if (first >= inputs) return;
          for (int r = 0; r < rows_at_once; ++r) {
            is_there[r] = first + r < inputs;
            const std::int64_t i = is_there[r] ? first + r : first;
            w[r] = weight + i * stride;
            v[r] = velocity + i * stride;
            for (int s = 0; s < most; ++s) x[r][s] = s < batch ? x_of[i * batch + s] : 0.0f;
          }
          InputSums<most> total;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(member, stride / units_at_once),
              [&](int pack, InputSums<most>& sum) {
                const int h = pack * units_at_once;
                const float* d = dy + shape.tile_index(h, 0);
                Units before[rows_at_once], step[rows_at_once];
                for (int r = 0; r < rows_at_once; ++r) before[r] = load(w[r] + h);
                for (int r = 0; r < rows_at_once; ++r) {
                  step[r] = update.weights ? load(v[r] + h) : Units{};
                }
                for (int r = 0; r < rows_at_once; ++r) {
                  for (int u = 0; u < units_at_once; ++u) {
                    step[r].value[u] = update.momentum * step[r].value[u];
                  }
                }
                for (int s = 0; s < most; ++s) {
                  if (is_loaded<most>(s, batch)) {  // beyond the last sample x is 0
                    const Units gradient = load(d + (s < batch ? s : batch - 1) * unit_tile);
                    for (int r = 0; r < rows_at_once; ++r) {
                      for (int u = 0; u < units_at_once; ++u) {
                        step[r].value[u] += gradient.value[u] * x[r][s];
                        sum.value[r][s] += gradient.value[u] * before[r].value[u];
                      }
                    }
                  }
                }
                if (!update.weights) return;
                for (int r = 0; r < rows_at_once; ++r) {
                  if (!is_there[r]) continue;
                  for (int u = 0; u < units_at_once; ++u) before[r].value[u] -= update.rate * step[r].value[u];
                  store(v[r] + h, step[r]);
                  store(w[r] + h, before[r]);
                }
              },
              Kokkos::Sum<InputSums<most>>(total));
          if (!update.input_gradient) return;
          Kokkos::single(Kokkos::PerThread(member), [&] {
            for (int r = 0; r < rows_at_once; ++r) {
              if (!is_there[r]) continue;
              for (int s = 0; s < most; ++s) {
                if (s < batch)
                  dx[(first + r) * batch + s] = x[r][s] != 0 || !update.input_is_rectified ? total.value[r][s] : 0.0f;
              }
            }
          });
        });
      });
}

}  // namespace

template <class Exec>
void DenseTeams::forward(const Exec& exec, const DenseForward<Exec>& a, const DenseShape& shape) {
  with_most_samples(shape.batch, [&](auto most) { forward_of_blocks<most.value, Exec>(exec, a, shape); });
}

template <class Exec>
void DenseTeams::backward(const Exec& exec, const DenseBackward<Exec>& a, const DenseShape& shape,
                          const DenseUpdate& update) {
  with_most_samples(shape.batch, [&](auto most) { backward_of_rows<most.value, Exec>(exec, a, shape, update); });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                    \
  template void DenseTeams::forward<Exec>(const Exec&, const DenseForward<Exec>&, const DenseShape&);  \
  template void DenseTeams::backward<Exec>(const Exec&, const DenseBackward<Exec>&, const DenseShape&, \
                                           const DenseUpdate&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
