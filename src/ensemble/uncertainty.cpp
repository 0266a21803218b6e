// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/ensemble/uncertainty.hpp"

#include <cmath>

#include "check_shapes.hpp"

namespace krossfold::ensemble {

template <class Exec>
Uncertainty<Exec> make_uncertainty(int samples) {
  const auto vector = [samples](const char* label) { return Vector<double, Exec>(uninitialized(label), samples); };
  return {vector("krossfold::ensemble::confidence"), vector("krossfold::ensemble::predictive_entropy"),
          vector("krossfold::ensemble::expected_entropy"), vector("krossfold::ensemble::mutual_information")};
}

template <class Exec>
void measure_uncertainty(const Exec& exec, const Uncertainty<Exec>& uncertainty, const Members<Exec>& members,
                         const Matrix<const double, Exec>& mean) {
  const auto probability = members.probability;
  const auto model = members.model;
  const auto out = uncertainty;
  const int models = members.models(), classes = members.classes();
  const std::size_t samples = probability.extent(1);
  check_shapes(mean.extent(0) == samples && mean.extent(1) == probability.extent(2) &&
                   out.confidence.extent(0) == samples && out.predictive_entropy.extent(0) == samples &&
                   out.expected_entropy.extent(0) == samples && out.mutual_information.extent(0) == samples,
               "measure_uncertainty");
  Kokkos::parallel_for(
      "krossfold::ensemble::uncertainty", Kokkos::RangePolicy<Exec>(exec, 0, members.samples()), KOKKOS_LAMBDA(int i) {
        double confidence = 0, predictive = 0, expected = 0, information = 0;
        for (int c = 0; c < classes; ++c) {
          const double q = mean(i, c);
          confidence = q > confidence ? q : confidence;
          if (q <= 0) continue;  // not `if (q > 0)`, here and below: NaN must propagate
          predictive -= q * log(q);
          for (int k = 0; k < models; ++k) {
            const auto p = static_cast<double>(probability(model(k), i, c));
            if (p <= 0) continue;
            expected -= p * log(p);
            const double away = (p - q) / q;  // rounds to -1 if p is below 2^-53 q
            information += p * (away > -0.5 ? log1p(away) : log(p / q));
          }
        }
        out.confidence(i) = predictive == predictive ? confidence : predictive;
        out.predictive_entropy(i) = predictive;
        out.expected_entropy(i) = expected / models;
        out.mutual_information(i) = information < 0 ? 0 : information / models;
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                    \
  template Uncertainty<Exec> make_uncertainty<Exec>(int);                                              \
  template void measure_uncertainty<Exec>(const Exec&, const Uncertainty<Exec>&, const Members<Exec>&, \
                                          const Matrix<const double, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::ensemble
