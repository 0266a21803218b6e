// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The two implementations of conv2d_relu() and conv2d_gradient(), selected by ConvForm; they take the same arguments.

#include "krossfold/kernels/conv2d.hpp"

namespace krossfold::kernels {

/// For the host: keeps blocks of channels and positions in vector registers.
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

/// For devices: a thread for some outputs, a team for some weights.
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
