// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/math.hpp"
#include "krossfold/core/poll.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// One entry of the kernel, expm1(-gamma d2). The argument -gamma d2 is held in two floats, so that the error of the
/// entry is little more than its own rounding: at small gamma, the optimum of the dual is sensitive to every ulp of K.
struct RbfMinusOne {
  float high, low;  ///< -gamma = high + low

  explicit RbfMinusOne(double gamma)
      : high(static_cast<float>(-gamma)), low(static_cast<float>(-gamma - static_cast<double>(high))) {}

  KOKKOS_INLINE_FUNCTION float operator()(float d2) const {
    const float x = high * d2;
    return math::expm1(x, math::product_error(high, d2, x) + low * d2);
  }
};

/// The RBF kernel minus one: k(i, j) = expm1(-gamma d2(i, j)) = exp(-gamma |x_i - x_j|^2) - 1.
///
/// In this form float keeps full relative precision at small gamma, where all kernel values are close to 1. The shift
/// has no effect, because every use multiplies the matrix by coefficients that sum to zero.
/// k and d2 have the same shape. Polls every few hundred rows.
template <class Exec>
void rbf_minus_one(const Exec& exec, const Matrix<float, Exec>& k, const Matrix<const float, Exec>& d2, double gamma,
                   const Poll& poll = {});

}  // namespace krossfold::kernels
