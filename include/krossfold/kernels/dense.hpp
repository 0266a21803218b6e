// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Fully connected layers trained on small batches. They are bound by the memory traffic of the weights, whose gradient
// is never stored: one pass over a row of weights computes the input's gradient, the momentum and the new weights.
//
// Arrays of a layer, all contiguous (in formulas: samples s < batch, inputs i < inputs, units h < units):
//   weight, velocity   W(i, h) at i * stride + h; a row holds one input's weights, zero-padded to whole tiles
//   x, dx              x(i, s) at i * batch + s
//   y, dy              y(h, s) at tile_index(h, s): tiles of 16 units of one sample; entries beyond the last unit are 0
// All but x and dx begin at a multiple of 16 bytes: devices read and write four units at once.

#include <cstdint>

#include "krossfold/core/view.hpp"
#include "krossfold/kernels/precision.hpp"

namespace krossfold::kernels {

inline constexpr int unit_tile = 16;

struct DenseShape {
  std::int64_t inputs = 0;
  int units = 0;
  int batch = 0;
  Precision precision = Precision::single;  ///< of the products of the form gemm

  KOKKOS_INLINE_FUNCTION int stride() const { return padded<float>(units); }
  KOKKOS_INLINE_FUNCTION int tiles() const { return stride() / unit_tile; }
  KOKKOS_INLINE_FUNCTION std::int64_t weights() const { return inputs * stride(); }
  KOKKOS_INLINE_FUNCTION int tile_size() const { return stride() * batch; }  ///< entries of y and dy
  /// Index of unit h of sample s in y and dy.
  KOKKOS_INLINE_FUNCTION int tile_index(int h, int s) const {
    return (h / unit_tile * batch + s) * unit_tile + h % unit_tile;
  }
};

/// The algorithm for a layer; results differ only by rounding.
enum class DenseForm {
  rows,   ///< for the host: row by row, for batches up to dense_rows_batch
  teams,  ///< for devices: a thread team for several rows, for batches up to dense_rows_batch
  gemm,   ///< for large batches: matrix products of blocks of rows
};
inline constexpr int dense_rows_batch = 16;
inline constexpr int dense_block = 512;  ///< inputs per partial sum of rows, and the most per one of teams

/// The fastest form for a batch of this size.
template <class Exec>
DenseForm best_dense_form(int batch);

/// Inputs per partial sum of the form teams: fewer for a layer of few inputs, whose blocks would not fill a device.
int dense_team_block(std::int64_t inputs);

/// The number of partial sums that dense_forward() writes: 1 for gemm, else one per fixed-size block of inputs, so that
/// rounding errors do not grow with their number and results are bitwise independent of the thread count.
int dense_partials(DenseForm form, std::int64_t inputs);

/// Arrays of dense_forward().
template <class Exec>
struct DenseForward {
  Vector<float, Exec> partial;  ///< output: dense_partials() arrays laid out like y
  Vector<const float, Exec> weight, x;
  Vector<float, Exec> work{};  ///< workspace of the form gemm: batch * stride floats
};

/// partial(p, h, s) = sum over the inputs i of block p of W(i, h) x(i, s).
template <class Exec>
void dense_forward(const Exec& exec, DenseForm form, const DenseForward<Exec>& arrays, const DenseShape& shape);

/// Arrays of dense_backward().
template <class Exec>
struct DenseBackward {
  Vector<float, Exec> weight, velocity;  ///< updated in place
  Vector<float, Exec> dx;                ///< output
  Vector<const float, Exec> x, dy;
  Vector<float, Exec> work{};  ///< as in DenseForward
};

/// Options of dense_backward(). With rate and momentum 0, velocity becomes the gradient and the weights stay unchanged.
struct DenseUpdate {
  float rate = 0, momentum = 0;
  bool weights = true;             ///< false: compute dx only, leaving weights and velocity unchanged
  bool input_gradient = true;      ///< false: leave dx unchanged, as for a network's first layer
  bool input_is_rectified = true;  ///< x is the output of a ReLU: dx is set to 0 where x = 0
};

/// Fused backward pass and SGD step with momentum in PyTorch's form (Sutskever et al., ICML 2013, without dampening):
///   dx(i, s) = sum_h W(i, h) dy(h, s)                            with the old weights
///   V(i, h)  = momentum V(i, h) + sum_s x(i, s) dy(h, s)
///   W(i, h)  = W(i, h) - rate V(i, h)
template <class Exec>
void dense_backward(const Exec& exec, DenseForm form, const DenseBackward<Exec>& arrays, const DenseShape& shape,
                    const DenseUpdate& update);

}  // namespace krossfold::kernels
