// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/svm/decomposition.hpp"
#include "krossfold/svm/platt.hpp"

namespace krossfold::svm {

/// The probability of each class for one sample, from its decision value decision[p] of each binary problem p; they sum
/// to 1. One-vs-rest: the sigmoids of the classes, divided by their sum. One-vs-one: couple_pairs of the sigmoids, each
/// at least 1e-7 and at most 1 - 1e-7. For two classes of one-vs-one these are p and 1 - p of the one sigmoid.
/// Preconditions: one sigmoid for each problem.
std::vector<double> class_probabilities(Multiclass kind, int classes, const std::vector<Sigmoid>& sigmoid,
                                        const double* decision);

/// The p_a >= 0, sum 1, that agree best with the probabilities r_ab of a against b: they minimise
///   sum_a sum_{b != a} (r_ba p_a - r_ab p_b)^2,   r_ba = 1 - r_ab,
/// the second method of Wu, Lin, Weng, JMLR 5 (2004) 975 (who show that p_a >= 0 needs no enforcing), by one linear
/// system. pair: r_ab > 0, below 1, in the order of class_pairs.
std::vector<double> couple_pairs(int classes, const std::vector<double>& pair);

}  // namespace krossfold::svm
