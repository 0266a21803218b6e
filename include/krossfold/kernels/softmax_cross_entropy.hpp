// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// Computes the loss of a batch and its gradient: with p(c, s) = exp(z(c, s)) / sum_k exp(z(k, s)),
///   loss(s) = -log p(label(s), s) / divisor,   dz(c, s) = (p(c, s) - [c = label(s)]) / divisor.
/// z, dz: c * batch + s, c < classes, s < batch = length of label; dz may be z. Sums are in double, shifted by max z.
/// divisor: size of the whole batch, of which this may be a part. The loss is not finite if a z is NaN or +infinity,
/// or the label's z is -infinity.
template <class Exec>
void softmax_cross_entropy(const Exec& exec, const Vector<double, Exec>& loss, const Vector<float, Exec>& dz,
                           const Vector<const float, Exec>& z, const Vector<const int, Exec>& label, int classes,
                           double divisor);

/// Weighs the losses of a batch: loss(s) *= w, dz(c, s) *= w with w = weight(row(first + s)), s < batch.
template <class Exec>
void weigh_losses(const Exec& exec, const Vector<double, Exec>& loss, const Vector<float, Exec>& dz, int classes,
                  const Vector<const double, Exec>& weight, const Vector<const int, Exec>& row, std::int64_t first,
                  int batch);

/// p(first + s, c) = exp(z(c, s)) / sum_k exp(z(k, s)) for s < batch.
template <class Exec>
void softmax(const Exec& exec, const Matrix<float, Exec>& p, int first, const Vector<const float, Exec>& z, int classes,
             int batch);

}  // namespace krossfold::kernels
