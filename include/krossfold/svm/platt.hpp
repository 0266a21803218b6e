// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Platt's sigmoid maps a decision value to a probability. Host code without Kokkos.

#include <cstdint>
#include <vector>

namespace krossfold::svm {

/// P(y = +1 | f) = 1 / (1 + exp(a f + b)) for the decision value f.
struct Sigmoid {
  double a = 0, b = 0;

  double probability(double decision) const;
  /// log P(y = +1 | f), finite even where P underflows to 0 in double.
  double log_probability(double decision) const;
};

/// The a and b that minimise the cross-entropy
///   F(a, b) = - sum_i [t_i log p_i + (1 - t_i) log(1 - p_i)],   p_i = 1 / (1 + exp(a f_i + b)),
/// with Platt's targets t_i = (N+ + 1) / (N+ + 2) where sign[i] > 0 and 1 / (N- + 2) elsewhere, for N+ and N- samples
/// of either sign; they keep the minimum finite when the signs are separable. Uses Newton's method with backtracking
/// (Lin, Lin, Weng, Machine Learning 68 (2007) 267) until both derivatives are below 1e-5, of decision values standardised to a mean of 0
/// and a mean absolute value of 1: probabilities do not depend on the unit and the offset of f. Equal arguments give bitwise
/// identical results. Preconditions: as many signs as decision values, all of them finite. With samples of one sign
/// only, or none, the probability is the same for every decision value.
Sigmoid fit_sigmoid(const std::vector<double>& decision, const std::vector<std::int8_t>& sign);

}  // namespace krossfold::svm
