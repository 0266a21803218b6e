// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/core/view.hpp"

namespace krossfold::ensemble {

struct CalibrationParams {
  int bins = 15;  ///< of equal width, as in Guo et al.
};

/// How well confidence matches accuracy. Bin b of B holds the samples with confidence in (b / B, (b + 1) / B]; the
/// first bin includes 0, the last includes values that rounding puts above 1.
struct Calibration {
  std::vector<int> count;          ///< (bin): number of samples
  std::vector<double> confidence;  ///< (bin): mean confidence, NaN in an empty bin
  std::vector<double> accuracy;    ///< (bin): fraction classified correctly, NaN in an empty bin
  double ece = 0;                  ///< expected calibration error: sum_b count_b / n |accuracy_b - confidence_b|
  double largest_gap = 0;          ///< max_b |accuracy_b - confidence_b|, the "maximum calibration error"
};

/// The calibration of the probabilities p, (sample, class). A sample's confidence is its largest probability, and it is
/// correct if that is its label's (ties go to the lowest class). Guo, Pleiss, Sun, Weinberger, ICML 2017.
/// Throws a run error for no samples, a wrong number of labels, a label that is not a class, a NaN, or bins < 1.
template <class Exec, class T>
Calibration calibration(const Exec& exec, const Matrix<const T, Exec>& p, const Vector<const int, Exec>& label,
                        const CalibrationParams& params = {});

}  // namespace krossfold::ensemble
