// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/lstm_steps.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "dropout_mask.hpp"
#include "krossfold/core/bounded_teams.hpp"
#include "krossfold/core/math.hpp"
#include "krossfold/kernels/lstm_cell.hpp"

namespace krossfold::kernels {

namespace {

/// The rows of one step.
template <class Exec>
Matrix<float, Exec> rows_of(const Matrix<float, Exec>& matrix, int step, int windows) {
  return Kokkos::subview(matrix, Kokkos::make_pair(step * windows, (step + 1) * windows), Kokkos::ALL);
}

template <class Exec>
void forward_by_step(const Exec& exec, const LstmSteps<Exec>& layer, const Panels<Exec>& recurrent,
                     const Vector<const float, Exec>& bias, const LstmDropout<Exec>& drop) {
  const int windows = layer.windows;
  for (int t = 0; t < layer.steps(); ++t) {
    const auto now = rows_of<Exec>(layer.gates, t, windows);
    if (t > 0) panel_gemm<Exec>(exec, now, rows_of<Exec>(layer.output, t - 1, windows), recurrent, true);
    lstm_cell<Exec>(exec, now, rows_of<Exec>(layer.cell, t, windows), rows_of<Exec>(layer.tanh_cell, t, windows),
                    rows_of<Exec>(layer.output, t, windows),
                    t > 0 ? rows_of<Exec>(layer.cell, t - 1, windows) : layer.zero, bias);
  }
  if (drop.on()) dropout<Exec>(exec, drop.dropped, layer.output, drop.row, layer.steps(), drop.params);
}

template <class Exec>
void backward_by_step(const Exec& exec, const Matrix<float, Exec>& dgates, const Matrix<float, Exec>& dy,
                      const LstmSteps<Exec>& layer, const Panels<Exec>& recurrent, const LstmDropout<Exec>& drop) {
  const int windows = layer.windows;
  if (drop.on()) dropout<Exec>(exec, dy, dy, drop.row, layer.steps(), drop.params);
  Kokkos::deep_copy(exec, layer.dcell, 0.0f);
  for (int t = layer.steps(); t-- > 0;) {
    const auto now = rows_of<Exec>(dgates, t, windows);
    lstm_cell_backward<Exec>(exec, now, layer.dcell, rows_of<Exec>(dy, t, windows),
                             rows_of<Exec>(layer.gates, t, windows), rows_of<Exec>(layer.tanh_cell, t, windows),
                             t > 0 ? rows_of<Exec>(layer.cell, t - 1, windows) : layer.zero);
    if (t > 0) panel_gemm<Exec>(exec, rows_of<Exec>(dy, t - 1, windows), now, recurrent, true);
  }
}

constexpr int threads = 512;
constexpr int scratch_bytes = 38 * 1024;  // Kokkos gives a team of a GPU 40,936 without asking
constexpr int packed_floats = 8;          // more, for their alignment
constexpr int enough_teams = 128;         // to fill a GPU: with fewer, a team takes fewer windows

/// Teams of up to `threads` threads, one for each column of the gates where there are as many.
template <class Exec>
auto policy_of(const Exec& exec, int teams, int columns, int floats) {
  const auto bytes = Kokkos::PerTeam(static_cast<int>(sizeof(float)) * (floats + packed_floats) + 64);
  const int size = std::clamp((columns + 31) / 32 * 32, 64, threads);
  return bounded_teams<threads>(exec, teams, size).set_scratch_size(0, bytes);
}

template <class Exec>
using Scratch = Kokkos::View<float*, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

/// What the windows of a team have of one number, read at once.
template <int each>
struct alignas(sizeof(float) * each) Pack {
  float value[each];
};

template <int each>
KOKKOS_INLINE_FUNCTION Pack<each>* aligned(float* from) {
  constexpr auto apart = sizeof(Pack<each>);
  return reinterpret_cast<Pack<each>*>((reinterpret_cast<std::uintptr_t>(from) + apart - 1) / apart * apart);
}

/// sum[s] += sum over k in [first, first + at_once) of weight[k * stride] vector[k].value[s]. The loads wait for memory together.
template <int at_once, int each>
KOKKOS_INLINE_FUNCTION void add_some_products(float (&sum)[each], const float* weight, int stride,
                                              const Pack<each>* vector, int first) {
  float w[at_once];
  for (int u = 0; u < at_once; ++u) w[u] = weight[static_cast<std::size_t>(first + u) * stride];
  for (int u = 0; u < at_once; ++u) {
    const Pack<each> y = vector[first + u];
    for (int s = 0; s < each; ++s) sum[s] += w[u] * y.value[s];
  }
}

/// sum[s] += sum over k in [0, count) of weight[k * stride] vector[k].value[s].
template <int each>
KOKKOS_INLINE_FUNCTION void add_products(float (&sum)[each], const float* weight, int stride, const Pack<each>* vector,
                                         int count) {
  int k = 0;
  for (; k + 16 <= count; k += 16) add_some_products<16>(sum, weight, stride, vector, k);
  for (; k + 4 <= count; k += 4) add_some_products<4>(sum, weight, stride, vector, k);
  for (; k < count; ++k) add_some_products<1>(sum, weight, stride, vector, k);
}

/// Where a kernel finds element (k, n) of panels on a device: at k * row_step + n * column_step.
struct Weights {
  const float* value;
  int row_step, column_step;
};

template <class Exec>
Weights weights_of(const Panels<Exec>& panels) {
  const int step = static_cast<int>(panels.matrix.stride(0));
  return panels.transpose == Transpose::yes ? Weights{panels.matrix.data(), 1, step}
                                            : Weights{panels.matrix.data(), step, 1};
}

/// Scratch memory of a team with so many windows: pre-activations and outputs, or gradients of pre-activations and parts of sums.
constexpr int forward_floats(int each, int hidden) { return 5 * each * hidden; }
constexpr int backward_floats(int each, int hidden) { return 8 * each * hidden; }

/// A team takes `each` windows through all steps.
template <int each, class Exec>
void forward_of_teams(const Exec& exec, const LstmSteps<Exec>& layer, const Panels<Exec>& recurrent,
                      const Vector<const float, Exec>& bias, const LstmDropout<Exec>& drop) {
  const int hidden = layer.hidden(), columns = 4 * hidden, windows = layer.windows, steps = layer.steps();
  const auto gates = layer.gates, cell = layer.cell, tanh_cell = layer.tanh_cell, output = layer.output;
  const Weights weight = weights_of(recurrent);
  const bool drops = drop.on();
  const DropoutMask mask(drop.params);
  const int* sample = drop.row.data() + (drops ? drop.params.first : 0);
  float* dropped = drop.dropped.data();
  const int floats = forward_floats(each, hidden);
  Kokkos::parallel_for(
      "krossfold::kernels::lstm_steps", policy_of(exec, (windows + each - 1) / each, columns, floats),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int first = member.league_rank() * each, own = windows - first < each ? windows - first : each;
        const Scratch<Exec> scratch(member.team_scratch(0), floats + packed_floats);
        Pack<each>* y = aligned<each>(scratch.data());                // (h)
        float* before = reinterpret_cast<float*>(y) + each * hidden;  // (window, column)
        for (int t = 0; t < steps; ++t) {
          const int row = t * windows + first;
          for (int j = member.team_rank(); j < columns; j += member.team_size()) {
            float sum[each];
            for (int s = 0; s < each; ++s) sum[s] = s < own ? gates(row + s, j) + bias(j) : 0.0f;
            if (t > 0) add_products(sum, weight.value + j * weight.column_step, weight.row_step, y, hidden);
            for (int s = 0; s < each; ++s) before[s * columns + j] = sum[s];
          }
          member.team_barrier();
          for (int e = member.team_rank(); e < own * hidden; e += member.team_size()) {
            const int s = e / hidden, h = e % hidden;
            const float* a = before + s * columns;
            const float i = math::sigmoid(a[h]), f = math::sigmoid(a[hidden + h]);
            const float g = math::tanh(a[2 * hidden + h]), o = math::sigmoid(a[3 * hidden + h]);
            const float value = (t > 0 ? f * cell(row + s - windows, h) : 0.0f) + i * g, bounded = math::tanh(value);
            gates(row + s, h) = i;
            gates(row + s, hidden + h) = f;
            gates(row + s, 2 * hidden + h) = g;
            gates(row + s, 3 * hidden + h) = o;
            cell(row + s, h) = value;
            tanh_cell(row + s, h) = bounded;
            output(row + s, h) = y[h].value[s] = o * bounded;
            if (drops) {
              dropped[static_cast<std::size_t>(row + s) * hidden + h] =
                  mask.of(o * bounded, sample[first + s], t, steps, h, hidden);
            }
          }
          member.team_barrier();
        }
      });
}

template <int each, class Exec>
void backward_of_teams(const Exec& exec, const Matrix<float, Exec>& dgates, const Matrix<float, Exec>& dy,
                       const LstmSteps<Exec>& layer, const Panels<Exec>& recurrent, const LstmDropout<Exec>& drop) {
  const int hidden = layer.hidden(), columns = 4 * hidden, windows = layer.windows, steps = layer.steps();
  const auto gates = layer.gates, cell = layer.cell, tanh_cell = layer.tanh_cell;
  float* dcell = layer.dcell.data();  // a pointer: Kokkos copies functors above 512 bytes to constant memory
  const Weights weight = weights_of(recurrent);
  const bool drops = drop.on();
  const DropoutMask mask(drop.params);
  const int* sample = drop.row.data() + (drops ? drop.params.first : 0);
  const int floats = backward_floats(each, hidden);
  Kokkos::parallel_for(
      "krossfold::kernels::lstm_steps_backward", policy_of(exec, (windows + each - 1) / each, columns, floats),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int first = member.league_rank() * each, own = windows - first < each ? windows - first : each;
        const Scratch<Exec> scratch(member.team_scratch(0), floats + packed_floats);
        Pack<each>* da = aligned<each>(scratch.data());  // (column)
        float* part =
            reinterpret_cast<float*>(da) + each * columns;  // (window, column): of the sum over a gate's columns
        for (int e = member.team_rank(); e < each * columns; e += member.team_size()) part[e] = 0;
        member.team_barrier();
        for (int t = steps - 1; t >= 0; --t) {
          const int row = t * windows + first;
          for (int e = member.team_rank(); e < own * hidden; e += member.team_size()) {
            const int s = e / hidden, h = e % hidden;
            const float* sum = part + s * columns + h;
            const float later = t < steps - 1 ? dcell[static_cast<std::size_t>(first + s) * hidden + h] : 0.0f;
            const float above =
                drops ? mask.of(dy(row + s, h), sample[first + s], t, steps, h, hidden) : dy(row + s, h);
            const float by = above + (sum[0] + sum[hidden] + sum[2 * hidden] + sum[3 * hidden]);
            const float i = gates(row + s, h), f = gates(row + s, hidden + h), g = gates(row + s, 2 * hidden + h);
            const float o = gates(row + s, 3 * hidden + h), bounded = tanh_cell(row + s, h);
            const float by_cell = later + by * o * (1 - bounded * bounded);
            const float value[4] = {by_cell * g * i * (1 - i),
                                    t > 0 ? by_cell * cell(row + s - windows, h) * f * (1 - f) : 0.0f,
                                    by_cell * i * (1 - g * g), by * bounded * o * (1 - o)};
            for (int gate = 0; gate < 4; ++gate) {
              dgates(row + s, gate * hidden + h) = value[gate];
              da[gate * hidden + h].value[s] = value[gate];
            }
            dcell[static_cast<std::size_t>(first + s) * hidden + h] = by_cell * f;
          }
          member.team_barrier();
          if (t == 0) break;
          for (int j = member.team_rank(); j < columns; j += member.team_size()) {
            const int gate = j / hidden, h = j % hidden;
            float sum[each] = {};
            add_products(sum, weight.value + gate * hidden * weight.row_step + h * weight.column_step, weight.row_step,
                         da + gate * hidden, hidden);
            for (int s = 0; s < each; ++s) part[s * columns + j] = sum[s];
          }
          member.team_barrier();
        }
      });
}

/// Calls work with the windows of a team: 8, 4, 2 or 1, so that scratch memory holds them and teams fill the device. Returns false if the
/// layer is too large for teams.
template <class Floats, class Work>
bool with_windows(int windows, int hidden, const Floats& floats, const Work& work) {
  const auto fits = [&](int each) {
    return sizeof(float) * floats(each, hidden) <= scratch_bytes && windows >= each * enough_teams;
  };
  if (hidden > most_hidden_of_teams) return false;
  if (fits(8)) {
    work(std::integral_constant<int, 8>());
  } else if (fits(4)) {
    work(std::integral_constant<int, 4>());
  } else if (fits(2)) {
    work(std::integral_constant<int, 2>());
  } else {
    work(std::integral_constant<int, 1>());
  }
  return true;
}

}  // namespace

template <class Exec>
void lstm_steps(const Exec& exec, const LstmSteps<Exec>& layer, const Panels<Exec>& recurrent,
                const Vector<const float, Exec>& bias, const LstmDropout<Exec>& dropout) {
  if (layer.windows == 0) return;
  if constexpr (!std::is_same_v<Exec, Host>) {
    if (with_windows(layer.windows, layer.hidden(), forward_floats,
                     [&](auto each) { forward_of_teams<each.value, Exec>(exec, layer, recurrent, bias, dropout); })) {
      return;
    }
  }
  forward_by_step<Exec>(exec, layer, recurrent, bias, dropout);
}

template <class Exec>
void lstm_steps_backward(const Exec& exec, const Matrix<float, Exec>& dgates, const Matrix<float, Exec>& dy,
                         const LstmSteps<Exec>& layer, const Panels<Exec>& recurrent,
                         const LstmDropout<Exec>& dropout) {
  if (layer.windows == 0) return;
  if constexpr (!std::is_same_v<Exec, Host>) {
    if (with_windows(layer.windows, layer.hidden(), backward_floats, [&](auto each) {
          backward_of_teams<each.value, Exec>(exec, dgates, dy, layer, recurrent, dropout);
        })) {
      return;
    }
  }
  backward_by_step<Exec>(exec, dgates, dy, layer, recurrent, dropout);
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                            \
  template void lstm_steps<Exec>(const Exec&, const LstmSteps<Exec>&, const Panels<Exec>&,                     \
                                 const Vector<const float, Exec>&, const LstmDropout<Exec>&);                  \
  template void lstm_steps_backward<Exec>(const Exec&, const Matrix<float, Exec>&, const Matrix<float, Exec>&, \
                                          const LstmSteps<Exec>&, const Panels<Exec>&, const LstmDropout<Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
