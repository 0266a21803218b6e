// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace krossfold::nn {

/// One tensor of a layer in PyTorch's order, for files and comparisons.
struct Parameter {
  std::string name;  ///< "conv.weight", "conv.bias", "dense.0.weight", "dense.0.bias", "weight_ih_l0", ...
  std::vector<std::int64_t> shape;  ///< (channel, input channel, row, column); (unit, input); (channel or unit)
  std::vector<float>
      value;  ///< row-major (last index fastest); the inputs of dense.0 are (channel, row, column) of the convolution
};

}  // namespace krossfold::nn
