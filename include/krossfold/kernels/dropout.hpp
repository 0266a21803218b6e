// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krossfold/core/random.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// Where a layer's random numbers come from and how many of its units are dropped.
struct DropoutParams {
  StreamId stream;         ///< of the layer and epoch
  double probability = 0;  ///< of being dropped, 0 <= p < 1; taken to the nearest multiple of 2^-16
  int first = 0;           ///< steps * batch rows begin with sample row(first)
};

/// Dropout (Srivastava et al., JMLR 15 (2014) 1929), inverted as PyTorch's: y(r, h) = x(r, h) / (1 - p) if the unit is kept, else 0.
/// Row r = t * batch + s is step t of sample row(first + s). Which units are kept depends on (stream, sample, step, unit) only, not on
/// the batch that a sample is in: unit h of `hidden` has 16 bits of block (sample * steps + t) * n + h % n, n = ceil(hidden / 8),
/// those at 16 (h / n); it is kept if they are at least round(65536 p). The same call on a gradient is the way back. y may be x.
template <class Exec>
void dropout(const Exec& exec, const Matrix<float, Exec>& y, const Matrix<const float, Exec>& x,
             const Vector<const int, Exec>& row, int steps, const DropoutParams& params);

/// The same of one step for arrays with the samples side by side, as those of dense layers (dense.hpp): y(h, s) at h * batch + s,
/// h < units, s < batch.
template <class Exec>
void dropout_units(const Exec& exec, const Vector<float, Exec>& y, const Vector<const float, Exec>& x,
                   const Vector<const int, Exec>& row, int units, int batch, const DropoutParams& params);

}  // namespace krossfold::kernels
