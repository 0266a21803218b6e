// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

struct AdamParams {
  double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
};

/// Step number `step`, counted from 1, of Adam (Kingma and Ba, ICLR 2015) in PyTorch's form, in one pass:
///   mean = beta1 mean + (1 - beta1) g, square = beta2 square + (1 - beta2) g^2,
///   weight = weight - rate / (1 - beta1^step) mean / (sqrt(square) / sqrt(1 - beta2^step) + epsilon).
/// All arrays have the same length; mean and square must be 0 before the first step.
template <class Exec>
void adam(const Exec& exec, const Vector<float, Exec>& weight, const Vector<float, Exec>& mean,
          const Vector<float, Exec>& square, const Vector<const float, Exec>& gradient, std::int64_t step,
          const AdamParams& params);

/// The numbers in which the number of the step occurs: factors(0) = rate / (1 - beta1^step), factors(1) = 1 / sqrt(1 - beta2^step).
template <class Exec>
void adam_factors(const Exec& exec, const Vector<float, Exec>& factors, std::int64_t step, const AdamParams& params);

/// The same step with the factors in the memory of Exec, so that its arguments do not change from step to step; bitwise equal.
template <class Exec>
void adam(const Exec& exec, const Vector<float, Exec>& weight, const Vector<float, Exec>& mean,
          const Vector<float, Exec>& square, const Vector<const float, Exec>& gradient,
          const Vector<const float, Exec>& factors, const AdamParams& params);

}  // namespace krossfold::kernels
