// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The two forms of conv2d_relu() and conv2d_gradient(), chosen by ConvForm; arguments as there.

#include "krossfold/kernels/conv2d.hpp"

namespace krossfold::kernels {

/// Blocks of channels and positions in vector registers, on the host.
struct ConvPacks {
  template <class Exec>
  static void forward(const Exec& exec, const Vector<float, Exec>& y, const Vector<const float, Exec>& image,
                      const Vector<const float, Exec>& weight, const Vector<const float, Exec>& bias,
                      const ConvShape& shape);
  template <class Exec>
  static void gradient(const Exec& exec, const Vector<float, Exec>& dweight, const Vector<float, Exec>& dbias,
                       const Vector<const float, Exec>& dy, const Vector<const float, Exec>& image,
                       const ConvShape& shape);
};

/// A thread for each output, a team for each weight.
struct ConvThreads {
  template <class Exec>
  static void forward(const Exec& exec, const Vector<float, Exec>& y, const Vector<const float, Exec>& image,
                      const Vector<const float, Exec>& weight, const Vector<const float, Exec>& bias,
                      const ConvShape& shape);
  template <class Exec>
  static void gradient(const Exec& exec, const Vector<float, Exec>& dweight, const Vector<float, Exec>& dbias,
                       const Vector<const float, Exec>& dy, const Vector<const float, Exec>& image,
                       const ConvShape& shape);
};

}  // namespace krossfold::kernels
