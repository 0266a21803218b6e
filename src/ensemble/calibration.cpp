// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/ensemble/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "check_shapes.hpp"

namespace krossfold::ensemble {

namespace {

/// The bin of a confidence: the b with b / bins < confidence <= (b + 1) / bins, with the bounds rounded to double.
KOKKOS_INLINE_FUNCTION int bin_of(double confidence, int bins) {
  int b = static_cast<int>(confidence * bins);
  b = b < 0 ? 0 : b >= bins ? bins - 1 : b;
  while (b > 0 && confidence <= static_cast<double>(b) / bins) --b;
  while (b < bins - 1 && confidence > static_cast<double>(b + 1) / bins) ++b;
  return b;
}

}  // namespace

template <class Exec, class T>
Calibration calibration(const Exec& exec, const Matrix<const T, Exec>& p, const Vector<const int, Exec>& label,
                        const CalibrationParams& params) {
  const int n = static_cast<int>(p.extent(0)), classes = static_cast<int>(p.extent(1)), bins = params.bins;
  check_labels(exec, label, n, classes, "calibration");
  if (bins < 1) throw_run_error(text("calibration in ", bins, " bins"), "at least one is needed");
  const int broken = block_sum<int>(
      exec, n, KOKKOS_LAMBDA(int i) {
        int count = 0;
        for (int c = 0; c < classes; ++c) count += p(i, c) == p(i, c) ? 0 : 1;
        return count;
      });
  if (broken > 0) throw_run_error(text("ensemble::calibration was called with ", broken, " NaN probabilities"));

  const int blocks = block_count(n);
  const Matrix<int, Exec> count("krossfold::ensemble::bin_count", blocks, bins);
  const Matrix<int, Exec> right("krossfold::ensemble::bin_right", blocks, bins);
  const Matrix<double, Exec> confidence("krossfold::ensemble::bin_confidence", blocks, bins);
  Kokkos::parallel_for(
      "krossfold::ensemble::calibration", Kokkos::RangePolicy<Exec>(exec, 0, blocks), KOKKOS_LAMBDA(int block) {
        const int first = block * block_length, last = n - first < block_length ? n : first + block_length;
        for (int i = first; i < last; ++i) {
          int best = 0;
          for (int c = 1; c < classes; ++c) {
            if (p(i, c) > p(i, best)) best = c;
          }
          const auto largest = static_cast<double>(p(i, best));
          const int b = bin_of(largest, bins);
          ++count(block, b);
          right(block, b) += best == label(i) ? 1 : 0;
          confidence(block, b) += largest;
        }
      });
  fence(exec, "krossfold::ensemble::calibration");

  const auto block_counts = on_host(count), block_rights = on_host(right);
  const auto block_confidence = on_host(confidence);
  Calibration result;
  for (int b = 0; b < bins; ++b) {
    int in_bin = 0, right_in_bin = 0;
    double sum = 0;
    for (int block = 0; block < blocks; ++block) {
      in_bin += block_counts(block, b);
      right_in_bin += block_rights(block, b);
      sum += block_confidence(block, b);
    }
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    result.count.push_back(in_bin);
    result.confidence.push_back(in_bin > 0 ? sum / in_bin : none);
    result.accuracy.push_back(in_bin > 0 ? static_cast<double>(right_in_bin) / in_bin : none);
    if (in_bin == 0) continue;
    const double gap = std::abs(result.accuracy.back() - result.confidence.back());
    result.ece += gap * in_bin / n;
    result.largest_gap = std::max(result.largest_gap, gap);
  }
  return result;
}

#define KROSSFOLD_INSTANTIATE_FOR(Exec, T)                                                                             \
  template Calibration calibration<Exec, T>(const Exec&, const Matrix<const T, Exec>&, const Vector<const int, Exec>&, \
                                            const CalibrationParams&);
#define KROSSFOLD_INSTANTIATE(Exec) KROSSFOLD_INSTANTIATE_FOR(Exec, float) KROSSFOLD_INSTANTIATE_FOR(Exec, double)
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::ensemble
