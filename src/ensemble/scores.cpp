// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/ensemble/scores.hpp"

#include <cmath>

#include "check_shapes.hpp"

namespace krossfold::ensemble {

template <class Exec, class T>
Scores scores(const Exec& exec, const Matrix<const T, Exec>& p, const Vector<const int, Exec>& label,
              const ScoreParams& params) {
  const int n = static_cast<int>(p.extent(0)), classes = static_cast<int>(p.extent(1));
  check_labels(exec, label, n, classes, "scores");
  const double least = params.min_probability;
  const double nll = block_sum<double>(
      exec, n, KOKKOS_LAMBDA(int i) {
        const auto truth = static_cast<double>(p(i, label(i)));
        return -log(truth < least ? least : truth);  // propagates NaN
      });
  const double brier = block_sum<double>(
      exec, n, KOKKOS_LAMBDA(int i) {
        double sum = 0;
        for (int c = 0; c < classes; ++c) {
          const double away = static_cast<double>(p(i, c)) - (label(i) == c ? 1 : 0);
          sum += away * away;
        }
        return sum;
      });
  const int clamped = block_sum<int>(
      exec, n, KOKKOS_LAMBDA(int i) { return static_cast<double>(p(i, label(i))) < least ? 1 : 0; });
  return {nll / n, brier / n, clamped};
}

#define KROSSFOLD_INSTANTIATE_FOR(Exec, T)                                                                   \
  template Scores scores<Exec, T>(const Exec&, const Matrix<const T, Exec>&, const Vector<const int, Exec>&, \
                                  const ScoreParams&);
#define KROSSFOLD_INSTANTIATE(Exec) KROSSFOLD_INSTANTIATE_FOR(Exec, float) KROSSFOLD_INSTANTIATE_FOR(Exec, double)
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::ensemble
