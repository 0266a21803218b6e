// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Measures of class probabilities. They equal those of scikit-learn, whose names are given. Host code without Kokkos.
//
// truth: (sample), in 0 ... classes - 1; probability: (sample, class), row by row; weight: (sample), or empty for 1 each.
// All are NaN without samples or where all weights are 0, and throw a run error for different lengths, a label that is
// no class, a probability that is NaN or more than 1e-6 outside [0, 1] (single precision rounds), or a weight that is
// negative or not finite. That the probabilities of a sample add up to 1 is not checked.

#include <span>
#include <vector>

namespace krossfold::measures {

/// The log loss in nats, -(1 / W) sum_i w_i log p(i, truth_i) with W = sum_i w_i: 0 at best, at worst -log 2^-52 = 36.04,
/// because p is clipped to [2^-52, 1 - 2^-52] (core/least_probability.hpp; sklearn log_loss of float64 since version 1.2).
double log_loss(std::span<const int> truth, std::span<const double> probability, int classes,
                std::span<const double> weight = {});

/// sum is the definition of Brier (Monthly Weather Review 78 (1950) 1) and of all of Krossfold's result files, from 0 at
/// best to 2. half is that divided by 2; for two classes it is the mean of (p - [positive])^2, and what sklearn gives.
enum class BrierScale { sum, half };

/// The Brier score (1 / W) sum_i w_i sum_c (p(i, c) - [truth_i = c])^2 with W = sum_i w_i, or half of it (sklearn
/// brier_score_loss: scale_by_half=False for sum, True for half; its default is half for two classes, else sum).
double brier_score(std::span<const int> truth, std::span<const double> probability, int classes,
                   std::span<const double> weight = {}, BrierScale scale = BrierScale::sum);

/// How often what was predicted with some probability is true. Bin b of B holds the probabilities in (b / B, (b + 1) / B];
/// the first includes 0.
struct ReliabilityCurve {
  std::vector<double> predicted;  ///< (bin): mean probability of the positive class, NaN in an empty bin
  std::vector<double> observed;   ///< (bin): fraction that is positive, NaN in an empty bin
  std::vector<double> weight;     ///< (bin): number of samples, or summed weights
  double expected_error = 0;      ///< sum_b weight_b / W |observed_b - predicted_b|, the expected calibration error
};

/// The reliability of the probability of one class, probability: (sample). A sample is positive if its class is
/// `positive`. Non-empty bins are those of sklearn's calibration_curve(strategy="uniform", n_bins=bins).
/// Throws as above (any label is a class here), and a run error for bins < 1.
ReliabilityCurve reliability_curve(std::span<const int> truth, std::span<const double> probability, int bins,
                                   std::span<const double> weight = {}, int positive = 1);

}  // namespace krossfold::measures
