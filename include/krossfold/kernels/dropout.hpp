// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krossfold/core/random.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// The random stream and drop probability of a layer.
struct DropoutParams {
  StreamId stream;         ///< stream of the layer and epoch
  double probability = 0;  ///< probability of dropping a unit (is_dropout()), rounded to a multiple of 2^-16
  int first = 0;           ///< the batch starts with sample row(first)
  /// If given, in memory of the device: the stream's trial is what is found here when the kernel runs, so that a recorded kernel draws
  /// other numbers in another epoch (core/launch_graph.hpp).
  const std::uint32_t* epoch = nullptr;
};

/// True for a probability with which some units are kept once it is rounded to a multiple of 2^-16.
inline bool is_dropout(double probability) { return probability >= 0 && 65536 * probability < 65535.5; }

/// Inverted dropout (Srivastava et al., JMLR 15 (2014) 1929) as in PyTorch: y(r, h) = x(r, h) / (1 - p) if unit h is
/// kept, else 0. Row r = t * batch + s is step t of sample row(first + s). The mask depends only on (stream, sample,
/// step, unit), not on the batch: with n = ceil(hidden / 8), unit h uses the 16 bits at 16 (h / n) of random block
/// (sample * steps + t) * n + h % n and is kept if they are >= round(65536 p). Backward is the same call. y may be x.
template <class Exec>
void dropout(const Exec& exec, const Matrix<float, Exec>& y, const Matrix<const float, Exec>& x,
             const Vector<const int, Exec>& row, int steps, const DropoutParams& params);

/// The same for a single step and arrays with adjacent samples as in dense layers (dense.hpp): y(h, s) at h * batch + s
/// for h < units and s < batch.
template <class Exec>
void dropout_units(const Exec& exec, const Vector<float, Exec>& y, const Vector<const float, Exec>& x,
                   const Vector<const int, Exec>& row, int units, int batch, const DropoutParams& params);

}  // namespace krossfold::kernels
