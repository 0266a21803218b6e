// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The weights of an ensemble's models. Host code without Kokkos.

#include <span>
#include <vector>

namespace krossfold::ensemble {

enum class WeightRule {
  log_odds,  ///< max(0, log((1 - e) / e) + log(K - 1)): SAMME (Zhu, Zou, Rosset, Hastie, Statistics and Its Interface 2
  ///< (2009) 349); 0 for a model no better than guessing among K classes, and for K = 2 the weights of the best
  ///< weighted vote of independent voters (Nitzan, Paroush, International Economic Review 23 (1982) 289)
  accuracy,  ///< 1 - e (Opitz, Shavlik, Connection Science 8 (1996) 337); nearly equal where all errors are small
};

struct WeightParams {
  WeightRule rule = WeightRule::log_odds;
  int classes = 2;  ///< K
  int samples = 1;  ///< behind each error: for the logarithm, e is kept half a sample away from 0 and 1
};

/// The weight of each model, from its validation error e (fraction wrong); they sum to 1 and are equal if the rule
/// gives all of them 0. Throws a run error if `error` is empty or has a NaN (leave that model out) or a value outside
/// [0, 1].
std::vector<double> validation_weights(std::span<const double> error, const WeightParams& params);

}  // namespace krossfold::ensemble
