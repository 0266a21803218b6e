// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/kernels/dense.hpp"

namespace krossfold::kernels {

enum class Activation { none, relu, tanh, sigmoid };

/// What follows dense_forward(): x(h, s) = f(bias(h) + sum_p partial(p, h, s)), the next layer's input, h < stride (entries
/// beyond the units are f(0)). NaN stays NaN.
template <class Exec>
void activate(const Exec& exec, const Vector<float, Exec>& x, const Vector<const float, Exec>& partial, int partials,
              const Vector<const float, Exec>& bias, const DenseShape& shape, Activation activation);

/// What precedes dense_backward(): dy(h, s) = dx(h, s) f'(y), with f' from x = f(y): 1 where relu's x > 0, 1 - x^2 for tanh,
/// x (1 - x) for the logistic sigmoid. Units beyond the last get 0. And the step of the bias, with gradient sum_s dy(h, s):
/// velocity = momentum velocity + gradient, bias -= rate velocity.
template <class Exec>
void activation_backward(const Exec& exec, const Vector<float, Exec>& dy, const Vector<float, Exec>& bias,
                         const Vector<float, Exec>& velocity, const Vector<const float, Exec>& dx,
                         const Vector<const float, Exec>& x, const DenseShape& shape, Activation activation, float rate,
                         float momentum);

}  // namespace krossfold::kernels
