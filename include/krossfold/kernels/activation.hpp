// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/kernels/dense.hpp"

namespace krossfold::kernels {

enum class Activation { none, relu, tanh, sigmoid };

/// Follows dense_forward(): x(h, s) = f(bias(h) + sum_p partial(p, h, s)), the next layer's input, for h < stride;
/// entries beyond the last unit are f(0). NaN stays NaN.
template <class Exec>
void activate(const Exec& exec, const Vector<float, Exec>& x, const Vector<const float, Exec>& partial, int partials,
              const Vector<const float, Exec>& bias, const DenseShape& shape, Activation activation);

/// A step of SGD with momentum on a layer's bias: velocity = momentum velocity + gradient, bias -= rate velocity. With
/// rate and momentum 0, velocity becomes the gradient and the bias stays unchanged.
template <class Exec>
struct BiasStep {
  Vector<float, Exec> bias, velocity;  ///< updated in place
  float rate = 0, momentum = 0;
};

/// Precedes dense_backward(): dy(h, s) = dx(h, s) f'(y), with f' computed from x = f(y): 1 if x > 0 for relu, 1 - x^2
/// for tanh, x (1 - x) for the logistic sigmoid; 0 beyond the last unit. In the same pass, takes `step` with the bias's gradient sum_s dy(h, s).
template <class Exec>
void activation_backward(const Exec& exec, const Vector<float, Exec>& dy, const BiasStep<Exec>& step,
                         const Vector<const float, Exec>& dx, const Vector<const float, Exec>& x,
                         const DenseShape& shape, Activation activation);

}  // namespace krossfold::kernels
