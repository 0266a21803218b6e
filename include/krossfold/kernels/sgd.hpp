// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// One step of stochastic gradient descent with momentum in PyTorch's form:
/// velocity = momentum velocity + gradient, weight = weight - rate velocity. All arrays have the same length.
template <class Exec>
void sgd(const Exec& exec, const Vector<float, Exec>& weight, const Vector<float, Exec>& velocity,
         const Vector<const float, Exec>& gradient, float rate, float momentum);

}  // namespace krossfold::kernels
