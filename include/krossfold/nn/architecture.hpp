// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/kernels/activation.hpp"
#include "krossfold/kernels/conv2d.hpp"

namespace krossfold::nn {

/// A classification network: [convolution without padding, ReLU,] hidden dense layers, each with an activation, and a
/// dense layer with one logit per class.
struct Architecture {
  data::ImageShape image;   ///< shape of the input; its product is the number of features
  int channels = 0;         ///< of the convolution; 0 for a network without one
  int kernel = 0;           ///< width and height of the convolution window
  std::vector<int> hidden;  ///< units of the hidden dense layers
  int classes = 0;
  kernels::Activation activation = kernels::Activation::relu;  ///< of the hidden dense layers
  double dropout = 0;  ///< probability of dropping a unit of a hidden dense layer in training

  bool operator==(const Architecture&) const = default;

  kernels::ConvShape conv(int batch) const;
  std::int64_t features() const;
  /// Inputs of the first dense layer.
  std::int64_t dense_inputs() const;
  /// Units of each dense layer, including the last.
  std::vector<int> dense_units() const;
  /// Number of trainable parameters.
  std::int64_t parameters() const;
  /// Floating-point operations per sample: forward pass, and forward plus backward pass.
  double inference_flops() const;
  double training_flops() const;
};

/// Throws an input error for an invalid network: no classes, no features, a layer without units, a window that is not
/// positive or exceeds the image, a dropout outside [0, 1). `what` names the network in the message.
void check_architecture(const Architecture& architecture, const std::string& what);

/// "conv 13 8x8, dense 227, 10 classes".
std::string describe(const Architecture& architecture);

}  // namespace krossfold::nn
