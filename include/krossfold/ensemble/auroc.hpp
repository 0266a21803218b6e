// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How well a score separates samples like the training data ("in") from out-of-distribution ones ("out"). Higher scores
// mean stranger samples: an entropy, mutual information, or one minus the confidence. Host code without Kokkos.

#include <span>

namespace krossfold::ensemble {

/// The area under the receiver operating characteristic: the probability that an "out" sample scores higher than an
/// "in" sample, with ties counting half,
///   (#{out > in} + 1/2 #{out = in}) / (n_out n_in)
/// (the Mann-Whitney statistic; Hanley, McNeil, Radiology 143 (1982) 29). 1 means perfect separation, 0.5 none. Pairs
/// are counted exactly, in integers. Infinite scores are allowed.
/// Throws a run error if a set is empty or has a NaN.
double auroc(std::span<const double> in, std::span<const double> out);

/// The smallest of the scores `in` that at least `share` of them do not exceed. Samples that score higher are flagged
/// as out of distribution; with share = 0.95 these are at most 5 % of `in` (a true-positive rate of 95 % in Liang, Li,
/// Srikant, ICLR 2018, who count "in" as positive).
/// Throws a run error if `in` is empty or has a NaN, or share is not in (0, 1].
double threshold_keeping(std::span<const double> in, double share);

/// The fraction of scores that do not exceed the threshold: the true-positive rate for "in" scores, the false-positive
/// rate for "out" scores. Throws a run error if `score` is empty or has a NaN.
double share_kept(std::span<const double> score, double threshold);

}  // namespace krossfold::ensemble
