// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/svm/decomposition.hpp"
#include "krossfold/svm/platt.hpp"

namespace krossfold::svm {

/// The class probabilities (summing to 1) of one sample, from its decision value decision[p] in each binary problem p.
/// One-vs-rest divides the sigmoids of the classes by their sum. One-vs-one applies couple_pairs to the sigmoids,
/// clamped to [1e-7, 1 - 1e-7]; with two classes the result is p and 1 - p of the single sigmoid.
/// Precondition: one sigmoid per problem.
std::vector<double> class_probabilities(Multiclass kind, int classes, const std::vector<Sigmoid>& sigmoid,
                                        const double* decision);

/// Pairwise coupling: the p_a >= 0 with sum 1 that agree best with the probabilities r_ab of a against b. They minimise
///   sum_a sum_{b != a} (r_ba p_a - r_ab p_b)^2,   r_ba = 1 - r_ab,
/// the second method of Wu, Lin, Weng, JMLR 5 (2004) 975 (who show that p_a >= 0 need not be enforced), and solve one
/// linear system. pair: r_ab in (0, 1), in the order of class_pairs.
std::vector<double> couple_pairs(int classes, const std::vector<double>& pair);

}  // namespace krossfold::svm
