// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// The loss of a batch and its gradient: with p(c, s) = exp(z(c, s)) / sum_k exp(z(k, s)),
///   loss(s) = -log p(label(s), s) / divisor,   dz(c, s) = (p(c, s) - [c = label(s)]) / divisor.
/// z, dz: c * batch + s, c < classes; batch = the length of label; dz may be z. Exponentials and sums in double, shifted by the
/// largest z. divisor is the size of the whole batch, of which this may be a part. NaN or infinite z give a loss that is not finite.
template <class Exec>
void softmax_cross_entropy(const Exec& exec, const Vector<double, Exec>& loss, const Vector<float, Exec>& dz,
                           const Vector<const float, Exec>& z, const Vector<const int, Exec>& label, int classes,
                           double divisor);

/// p(s, c) = exp(z(c, s)) / sum_k exp(z(k, s)) in rows first ... first + batch - 1 of p.
template <class Exec>
void softmax(const Exec& exec, const Matrix<float, Exec>& p, int first, const Vector<const float, Exec>& z, int classes,
             int batch);

}  // namespace krossfold::kernels
