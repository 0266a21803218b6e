// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/least_probability.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold::ensemble {

struct ScoreParams {
  /// Lower bound on the probability of the true class in the NLL: a true class with probability 0 costs -log 2^-52 =
  /// 36.04 instead of infinity.
  double min_probability = least_probability;
};

/// Proper scoring rules: the expected score is minimal at the true probabilities (Gneiting, Raftery, JASA 102 (2007)
/// 359).
struct Scores {
  double nll = 0;  ///< negative log-likelihood of the labels y, -(1 / n) sum_i log p(i, y_i) in nats; 0 at best
  double brier =
      0;  ///< (1 / n) sum_i sum_c (p(i, c) - [y_i = c])^2, from 0 (best) to 2 (worst), as in Brier, Monthly Weather
          ///< Review 78 (1950) 1 (others halve it)
  int clamped = 0;  ///< samples whose true class had less than min_probability
};

/// The scores of the probabilities p, (sample, class): of a mean (double) or one model (float, a subview of the cube).
/// Throws a run error for no samples, a wrong number of labels, or a label that is not a class.
template <class Exec, class T>
Scores scores(const Exec& exec, const Matrix<const T, Exec>& p, const Vector<const int, Exec>& label,
              const ScoreParams& params = {});

}  // namespace krossfold::ensemble
