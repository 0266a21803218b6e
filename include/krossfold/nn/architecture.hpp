// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/kernels/activation.hpp"
#include "krossfold/kernels/conv2d.hpp"

namespace krossfold::nn {

/// A network for classification: [convolution without padding, ReLU,] dense layers with an activation each, and a dense layer
/// that ends in one logit a class.
struct Architecture {
  data::ImageShape image;   ///< of the input; its product is the number of features
  int channels = 0;         ///< of the convolution; 0 for a network without one
  int kernel = 0;           ///< width and height of its window
  std::vector<int> hidden;  ///< units of the dense layers before the last
  int classes = 0;
  kernels::Activation activation = kernels::Activation::relu;  ///< of the hidden dense layers
  double dropout = 0;  ///< share of the units of hidden dense layers that is dropped in training

  bool operator==(const Architecture&) const = default;

  kernels::ConvShape conv(int batch) const;
  std::int64_t features() const;
  /// Inputs of the first dense layer.
  std::int64_t dense_inputs() const;
  /// Units of each dense layer, the last included.
  std::vector<int> dense_units() const;
  /// Numbers that training finds.
  std::int64_t parameters() const;
  /// Floating-point operations of one sample: forward, and forward with backward.
  double inference_flops() const;
  double training_flops() const;
};

/// Throws an input error for a shape that is no network: no classes, no features, a layer without units, a window that is larger
/// than the image or not positive, a dropout outside [0, 1). `what` names it in the message.
void check_architecture(const Architecture& architecture, const std::string& what);

/// "conv 13 8x8, dense 227, 10 classes".
std::string describe(const Architecture& architecture);

}  // namespace krossfold::nn
