// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::training {

/// Throws an input error if the outputs of a layer of width `widest` for a whole batch exceed the range of int, the type of their
/// indices.
inline void check_batch(int batch, std::int64_t widest) {
  const std::int64_t most = std::numeric_limits<int>::max() / widest;
  if (batch <= most) return;
  throw_input_error(
      text("batch ", batch, " with layers of ", widest),
      text("a layer has at most ", std::numeric_limits<int>::max(), " outputs for all samples of a batch"),
      text("Use a batch of up to ", most, "."));
}

}  // namespace krossfold::training
