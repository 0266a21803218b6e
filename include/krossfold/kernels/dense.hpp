// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Fully connected layers trained on small batches. There a layer is bound by the memory of its weights, so the gradient of the
// weights is never stored: one pass over a row of weights forms the gradient of its input, the momentum and the new weights.
//
// Arrays of a layer, all contiguous (the formulas write samples s < batch, inputs i < inputs, units h < units):
//   weight, velocity   W(i, h) at i * stride + h; a row is one input's weights, padded with zeros to whole tiles
//   x, dx              x(i, s) at i * batch + s
//   y, dy              y(h, s) at tile_index(h, s): 16 units of a sample lie side by side; units beyond the last are 0

#include <cstdint>

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

inline constexpr int unit_tile = 16;

struct DenseShape {
  std::int64_t inputs = 0;
  int units = 0;
  int batch = 0;

  KOKKOS_INLINE_FUNCTION int stride() const { return padded<float>(units); }
  KOKKOS_INLINE_FUNCTION int tiles() const { return stride() / unit_tile; }
  KOKKOS_INLINE_FUNCTION std::int64_t weights() const { return inputs * stride(); }
  KOKKOS_INLINE_FUNCTION int tile_size() const { return stride() * batch; }  ///< entries of y and dy
  /// Where unit h of sample s stands in y and dy.
  KOKKOS_INLINE_FUNCTION int tile_index(int h, int s) const {
    return (h / unit_tile * batch + s) * unit_tile + h % unit_tile;
  }
};

/// How a layer is computed; the results differ by rounding.
enum class DenseForm {
  rows,   ///< host: row after row, for batches up to dense_rows_batch
  teams,  ///< a team of threads for some rows: devices, for batches up to dense_rows_batch
  gemm,   ///< products of blocks of rows: large batches
};
inline constexpr int dense_rows_batch = 16;

/// The fastest form for a batch of this size.
template <class Exec>
DenseForm best_dense_form(int batch);

/// The number of partial sums that dense_forward() leaves: the inputs are summed in blocks of a fixed size, so that rounding
/// errors do not grow with their number and the bits do not depend on the number of threads.
int dense_partials(DenseForm form, std::int64_t inputs);

/// partial(p, h, s) = sum over block p of the inputs of W(i, h) x(i, s); partial: dense_partials() arrays laid out as y.
/// `work` is room for the form gemm: batch * stride floats there, else nothing.
template <class Exec>
void dense_forward(const Exec& exec, DenseForm form, const Vector<float, Exec>& partial,
                   const Vector<const float, Exec>& weight, const Vector<const float, Exec>& x, const DenseShape& shape,
                   const Vector<float, Exec>& work);

/// What backward does. With rate and momentum 0 the velocity becomes the gradient and the weights stay as they are.
struct DenseUpdate {
  float rate = 0, momentum = 0;
  bool weights = true;             ///< false: dx alone; weights and velocity are left alone
  bool input_gradient = true;      ///< false for a network's first layer: dx is left alone
  bool input_is_rectified = true;  ///< x = max(0, .): dx is wanted only where x is not 0, and set to 0 elsewhere
};

/// One pass of backward and stochastic gradient descent, in PyTorch's form (Sutskever et al., ICML 2013, without dampening):
///   dx(i, s) = sum_h W(i, h) dy(h, s)                            with the weights from before
///   V(i, h)  = momentum V(i, h) + sum_s x(i, s) dy(h, s)
///   W(i, h)  = W(i, h) - rate V(i, h)
/// `work` as above.
template <class Exec>
void dense_backward(const Exec& exec, DenseForm form, const Vector<float, Exec>& weight,
                    const Vector<float, Exec>& velocity, const Vector<float, Exec>& dx,
                    const Vector<const float, Exec>& x, const Vector<const float, Exec>& dy, const DenseShape& shape,
                    const DenseUpdate& update, const Vector<float, Exec>& work);

}  // namespace krossfold::kernels
