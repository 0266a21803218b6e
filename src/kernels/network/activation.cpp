// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/activation.hpp"

#include <cmath>
#include <type_traits>

#include "krossfold/core/bounded_teams.hpp"
#include "krossfold/core/simd.hpp"

namespace krossfold::kernels {
namespace {

KOKKOS_INLINE_FUNCTION float activated(Activation activation, float y) {
  switch (activation) {
    case Activation::relu:
      return y < 0 ? 0.0f : y;
    case Activation::tanh:
      return tanhf(y);
    case Activation::sigmoid:
      return 1 / (1 + expf(-y));
    default:
      return y;
  }
}

/// f'(y), computed from x = f(y).
KOKKOS_INLINE_FUNCTION float slope(Activation activation, float x) {
  switch (activation) {
    case Activation::relu:
      return x > 0 ? 1.0f : 0.0f;
    case Activation::tanh:
      return 1 - x * x;
    case Activation::sigmoid:
      return x * (1 - x);
    default:
      return 1;
  }
}

/// A team for each tile of a sample, whose threads sum a part of the partial sums each.
template <class Exec>
void activate_by_teams(const Exec& exec, const Vector<float, Exec>& x, const Vector<const float, Exec>& partial,
                       int partials, const Vector<const float, Exec>& bias, const DenseShape& shape,
                       Activation activation) {
  using Scratch = Kokkos::View<float*, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  constexpr int groups = 16, entries = groups * unit_tile;
  const int size = shape.tile_size(), batch = shape.batch;
  Kokkos::parallel_for(
      "krossfold::kernels::activate",
      bounded_teams<entries>(exec, size / unit_tile, entries)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(entries))),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const Scratch scratch(member.team_scratch(0), entries);
        float* part = scratch.data();  // (group, lane)
        const int k = member.league_rank(), s = k % batch, tile = k / batch;
        const float* from = partial.data() + static_cast<std::size_t>(k) * unit_tile;
        for (int e = member.team_rank(); e < entries; e += member.team_size()) {
          float sum = 0;
          for (int p = e / unit_tile; p < partials; p += groups) {
            sum += from[static_cast<std::size_t>(p) * size + e % unit_tile];
          }
          part[e] = sum;
        }
        member.team_barrier();
        for (int lane = member.team_rank(); lane < unit_tile; lane += member.team_size()) {
          float sum = bias(tile * unit_tile + lane);
          for (int group = 0; group < groups; ++group) sum += part[group * unit_tile + lane];
          x((tile * unit_tile + lane) * batch + s) = activated(activation, sum);
        }
      });
}

}  // namespace

template <class Exec>
void activate(const Exec& exec, const Vector<float, Exec>& x, const Vector<const float, Exec>& partial, int partials,
              const Vector<const float, Exec>& bias, const DenseShape& shape, Activation activation) {
  if constexpr (!std::is_same_v<Exec, Host>) {
    if (partials > 1) {
      activate_by_teams<Exec>(exec, x, partial, partials, bias, shape, activation);
      return;
    }
  }
  const int size = shape.tile_size(), batch = shape.batch;
  Kokkos::parallel_for(
      "krossfold::kernels::activate", Kokkos::RangePolicy<Exec>(exec, 0, size / unit_tile), KOKKOS_LAMBDA(int k) {
        const int s = k % batch, tile = k / batch;
        float sum[unit_tile];
        for (int lane = 0; lane < unit_tile; ++lane) sum[lane] = bias(tile * unit_tile + lane);
        for (int p = 0; p < partials; ++p) {
          const float* from = &partial(std::int64_t{p} * size + k * unit_tile);
          KROSSFOLD_SIMD()
          for (int lane = 0; lane < unit_tile; ++lane) sum[lane] += from[lane];
        }
        for (int lane = 0; lane < unit_tile; ++lane) {
          x((tile * unit_tile + lane) * batch + s) = activated(activation, sum[lane]);
        }
      });
}

template <class Exec>
void activation_backward(const Exec& exec, const Vector<float, Exec>& dy, const BiasStep<Exec>& step,
                         const Vector<const float, Exec>& dx, const Vector<const float, Exec>& x,
                         const DenseShape& shape, Activation activation) {
  const int batch = shape.batch, units = shape.units;
  Kokkos::parallel_for(
      "krossfold::kernels::activation_backward", Kokkos::RangePolicy<Exec>(exec, 0, shape.stride()),
      KOKKOS_LAMBDA(int h) {
        float* out = &dy(shape.tile_index(h, 0));
        float sum = 0;
        for (int s = 0; s < batch; ++s) {
          const float gradient = h < units ? dx(h * batch + s) * slope(activation, x(h * batch + s)) : 0.0f;
          out[s * unit_tile] = gradient;
          sum += gradient;
        }
        if (h < units) {
          step.velocity(h) = step.momentum * step.velocity(h) + sum;
          step.bias(h) -= step.rate * step.velocity(h);
        }
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                            \
  template void activate<Exec>(const Exec&, const Vector<float, Exec>&, const Vector<const float, Exec>&, int, \
                               const Vector<const float, Exec>&, const DenseShape&, Activation);               \
  template void activation_backward<Exec>(const Exec&, const Vector<float, Exec>&, const BiasStep<Exec>&,      \
                                          const Vector<const float, Exec>&, const Vector<const float, Exec>&,  \
                                          const DenseShape&, Activation);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
