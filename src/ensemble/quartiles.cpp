// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/ensemble/quartiles.hpp"

#include "check_shapes.hpp"

namespace krossfold::ensemble {

namespace {

/// Sorts n values in ascending order by Shellsort: in place and without recursion.
KOKKOS_INLINE_FUNCTION void sort_ascending(float* value, int n) {
  for (int gap = n / 2; gap > 0; gap /= 2) {
    for (int i = gap; i < n; ++i) {
      const float moved = value[i];
      int j = i;
      for (; j >= gap && value[j - gap] > moved; j -= gap) value[j] = value[j - gap];
      value[j] = moved;
    }
  }
}

/// The quantile `quarter` / 4 of n sorted values; interpolates from the nearer neighbour, to round as numpy does.
KOKKOS_INLINE_FUNCTION double at_quarter(const float* sorted, int n, int quarter) {
  const int steps = quarter * (n - 1), below = steps / 4;
  const double share = (steps % 4) / 4.0;
  const double a = static_cast<double>(sorted[below]);
  if (steps % 4 == 0) return a;
  const double b = static_cast<double>(sorted[below + 1]);
  return share < 0.5 ? a + (b - a) * share : b - (b - a) * (1 - share);
}

}  // namespace

template <class Exec>
void quartiles(const Exec& exec, const Cube<double, Exec>& quartile, const Members<Exec>& members) {
  const auto probability = members.probability;
  const auto model = members.model;
  const int models = members.models(), classes = members.classes();
  check_shapes(quartile.extent(0) == quartile_count && quartile.extent(1) == probability.extent(1) &&
                   quartile.extent(2) == probability.extent(2),
               "quartiles");
  const Cube<float, Exec> sorted(uninitialized("krossfold::ensemble::sorted"), probability.extent(1),
                                 probability.extent(2), models);
  Kokkos::parallel_for(
      "krossfold::ensemble::quartiles", Kokkos::RangePolicy<Exec>(exec, 0, members.samples()), KOKKOS_LAMBDA(int i) {
        for (int c = 0; c < classes; ++c) {
          float* value = &sorted(i, c, 0);
          for (int k = 0; k < models; ++k) value[k] = probability(model(k), i, c);
          sort_ascending(value, models);
          for (int q = 0; q < quartile_count; ++q) quartile(q, i, c) = at_quarter(value, models, q);
        }
      });
}

#define KROSSFOLD_INSTANTIATE(Exec) \
  template void quartiles<Exec>(const Exec&, const Cube<double, Exec>&, const Members<Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::ensemble
