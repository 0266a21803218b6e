// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How well a score tells samples like the training data ("in") from others ("out"). Scores are larger where a sample is
// stranger: an entropy, mutual information, or one less the confidence. Host code without Kokkos.

#include <span>

namespace krossfold::ensemble {

/// The area under the receiver operating characteristic: the probability that a stranger's score is larger than that of
/// a sample like the training data, equal scores counting half,
///   (#{out > in} + 1/2 #{out = in}) / (n_out n_in)
/// (Hanley, McNeil, Radiology 143 (1982) 29: the statistic of Mann and Whitney). 1: told apart without fail, 0.5: not at
/// all. Pairs are counted in whole numbers. Infinite scores are compared as they are.
/// Throws a run error if a set is empty or has a NaN.
double auroc(std::span<const double> in, std::span<const double> out);

/// The least of the scores `in` that at least `share` of them do not exceed. A sample is called out of distribution where
/// its score is above it: with share = 0.95 that befalls at most 5 % of samples like the training data (the true-positive
/// rate of Liang, Li, Srikant, ICLR 2018, who count "in" as positive).
/// Throws a run error if `in` is empty or has a NaN, or share is not in (0, 1].
double threshold_keeping(std::span<const double> in, double share);

/// The fraction of scores that do not exceed the threshold: of "in" the true-positive rate, of "out" the false-positive
/// rate. Throws a run error if `score` is empty or has a NaN.
double share_kept(std::span<const double> score, double threshold);

}  // namespace krossfold::ensemble
