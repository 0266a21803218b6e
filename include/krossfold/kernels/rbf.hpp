// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/math.hpp"
#include "krossfold/core/poll.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// One entry of the kernel, expm1(-gamma d2). -gamma d2 is formed in two floats, so that the entry is off by little more than its
/// own rounding: at small gamma the optimum of the dual answers to every ulp of K.
struct RbfMinusOne {
  float high, low;  ///< -gamma = high + low

  explicit RbfMinusOne(double gamma)
      : high(static_cast<float>(-gamma)), low(static_cast<float>(-gamma - static_cast<double>(high))) {}

  KOKKOS_INLINE_FUNCTION float operator()(float d2) const {
    const float x = high * d2;
    return math::expm1(x, math::product_error(high, d2, x) + low * d2);
  }
};

/// The radial basis function kernel less one: k(i, j) = expm1(-gamma d2(i, j)) = exp(-gamma |x_i - x_j|^2) - 1.
///
/// Stored so because float holds it to full relative precision where gamma is small and all kernel values are near 1.
/// Every use multiplies it with coefficients that sum to zero, for which the shift by one is without effect.
/// k and d2 have the same shape. Polls every few hundred rows.
template <class Exec>
void rbf_minus_one(const Exec& exec, const Matrix<float, Exec>& k, const Matrix<const float, Exec>& d2, double gamma,
                   const Poll& poll = {});

}  // namespace krossfold::kernels
