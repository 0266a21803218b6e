// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Convolution with stride 1 and no padding, followed by ReLU (torch.nn.Conv2d and torch.nn.ReLU).
//
// Arrays (samples s < batch): image(p, s) at p * batch + s with p = (input channel * height + row) * width + column;
// weight(t, c) at t * channels + c with t = (input channel * kernel + row) * kernel + column of the window;
// y and dy are laid out like images with `channels` channels of out_height() x out_width() pixels.

#include <cstdint>

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

struct ConvShape {
  int width = 0, height = 0, input_channels = 1;
  int channels = 0, kernel = 0;
  int batch = 0;

  KOKKOS_INLINE_FUNCTION int out_width() const { return width - kernel + 1; }
  KOKKOS_INLINE_FUNCTION int out_height() const { return height - kernel + 1; }
  KOKKOS_INLINE_FUNCTION int taps() const { return input_channels * kernel * kernel; }
  KOKKOS_INLINE_FUNCTION std::int64_t pixels() const { return std::int64_t{input_channels} * width * height; }
  KOKKOS_INLINE_FUNCTION std::int64_t outputs() const { return std::int64_t{channels} * out_width() * out_height(); }
};

/// The algorithm; results differ only by rounding.
enum class ConvForm {
  packs,    ///< for the host: blocks of channels and positions in vector registers
  threads,  ///< for devices: a thread for some outputs, a team for some weights
};

/// The fastest form.
template <class Exec>
ConvForm best_conv_form();

/// Number of floats that image arrays (image, y, dy) need after their last entry for vector loads past the end. They
/// must be finite and do not affect the result.
inline constexpr int image_slack = 64;

/// y(c, row, column, s) = max(0, bias(c) + sum over taps of weight(t, c) image(row + t_row, column + t_column, s)).
/// NaN stays NaN.
template <class Exec>
void conv2d_relu(const Exec& exec, ConvForm form, const Vector<float, Exec>& y, const Vector<const float, Exec>& image,
                 const Vector<const float, Exec>& weight, const Vector<const float, Exec>& bias,
                 const ConvShape& shape);

/// dweight(t, c) = sum over positions and samples of dy(c, row, column, s) image(row + t_row, column + t_column, s);
/// dbias(c) = sum over positions and samples of dy(c, row, column, s). dy is the gradient before rectification.
template <class Exec>
void conv2d_gradient(const Exec& exec, ConvForm form, const Vector<float, Exec>& dweight,
                     const Vector<float, Exec>& dbias, const Vector<const float, Exec>& dy,
                     const Vector<const float, Exec>& image, const ConvShape& shape);

}  // namespace krossfold::kernels
