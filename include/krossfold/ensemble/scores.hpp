// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

namespace krossfold::ensemble {

struct ScoreParams {
  /// Probabilities of the true class below this count as this in the NLL, as in scikit-learn: a class that was ruled out
  /// and is the true one costs -log 2^-52 = 36.04 instead of infinity.
  double least_probability = 0x1p-52;
};

/// Proper scoring rules: expected to be least where the probabilities are the true ones (Gneiting, Raftery, JASA 102 (2007)
/// 359).
struct Scores {
  double nll = 0;  ///< -(1 / n) sum_i log p(i, y_i) in nats, 0 at best: the negative log likelihood of the labels y
  double brier =
      0;  ///< (1 / n) sum_i sum_c (p(i, c) - [y_i = c])^2, 0 at best, 2 at worst, as in Brier, Monthly Weather
          ///< Review 78 (1950) 1 (others halve it)
  int clamped = 0;  ///< samples whose true class had less than the least probability
};

/// The scores of the probabilities p, (sample, class): of a mean (double) or of one model (float, a subview of the cube).
/// Throws a run error for no samples, another number of labels, or a label that is no class.
template <class Exec, class T>
Scores scores(const Exec& exec, const Matrix<const T, Exec>& p, const Vector<const int, Exec>& label,
              const ScoreParams& params = {});

}  // namespace krossfold::ensemble
