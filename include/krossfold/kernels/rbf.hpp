// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// The radial basis function kernel less one: k(i, j) = expm1(-gamma d2(i, j)) = exp(-gamma |x_i - x_j|^2) - 1.
///
/// Stored so because float holds it to full relative precision where gamma is small and all kernel values are near 1.
/// Every use multiplies it with coefficients that sum to zero, for which the shift by one is without effect.
/// k and d2 have the same shape.
template <class Exec>
void rbf_minus_one(const Exec& exec, const Matrix<float, Exec>& k, const Matrix<const float, Exec>& d2, double gamma);

}  // namespace krossfold::kernels
