// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/ensemble/mean_probability.hpp"

#include "check_shapes.hpp"

namespace krossfold::ensemble {

template <class Exec>
void mean_probability(const Exec& exec, const Matrix<double, Exec>& mean, const Members<Exec>& members) {
  const auto probability = members.probability;
  const auto model = members.model;
  const int models = members.models(), classes = members.classes();
  check_shapes(mean.extent(0) == probability.extent(1) && mean.extent(1) == probability.extent(2), "mean_probability");
  Kokkos::parallel_for(
      "krossfold::ensemble::mean_probability", Kokkos::RangePolicy<Exec>(exec, 0, members.samples()),
      KOKKOS_LAMBDA(int i) {
        for (int c = 0; c < classes; ++c) {
          double sum = 0;
          for (int k = 0; k < models; ++k) sum += static_cast<double>(probability(model(k), i, c));
          mean(i, c) = sum / models;
        }
      });
}

template <class Exec>
void mean_probability(const Exec& exec, const Matrix<double, Exec>& mean, const Members<Exec>& members,
                      const Vector<const double, Exec>& weight) {
  const auto probability = members.probability;
  const auto model = members.model;
  const int models = members.models(), classes = members.classes();
  check_shapes(mean.extent(0) == probability.extent(1) && mean.extent(1) == probability.extent(2) &&
                   static_cast<int>(weight.extent(0)) == models,
               "mean_probability");
  Kokkos::parallel_for(
      "krossfold::ensemble::weighted_mean", Kokkos::RangePolicy<Exec>(exec, 0, members.samples()),
      KOKKOS_LAMBDA(int i) {
        double all = 0;
        for (int k = 0; k < models; ++k) all += weight(k);
        for (int c = 0; c < classes; ++c) {
          double sum = 0;
          for (int k = 0; k < models; ++k) sum += weight(k) * static_cast<double>(probability(model(k), i, c));
          mean(i, c) = sum / all;
        }
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                     \
  template void mean_probability<Exec>(const Exec&, const Matrix<double, Exec>&, const Members<Exec>&); \
  template void mean_probability<Exec>(const Exec&, const Matrix<double, Exec>&, const Members<Exec>&,  \
                                       const Vector<const double, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::ensemble
