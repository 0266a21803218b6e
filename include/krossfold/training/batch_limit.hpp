// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/nn/sharded_network.hpp"

namespace krossfold::training {

/// Throws an input error if the outputs of a layer of width `widest` for a whole batch, or for the samples that are evaluated at once,
/// exceed the range of int, the type of their indices.
inline void check_batch(int batch, std::int64_t widest) {
  const std::int64_t most = std::numeric_limits<int>::max() / widest;
  const bool evaluates = most >= nn::evaluated_at_once;
  if (batch <= most && evaluates) return;
  throw_input_error(text(evaluates ? text("batch ", batch, " with layers of ") : "a layer of ", widest),
                    text("a layer has at most ", std::numeric_limits<int>::max(), " outputs for all samples of a batch",
                         evaluates ? "" : text(", and ", nn::evaluated_at_once, " are evaluated at once")),
                    evaluates
                        ? text("Use a batch of up to ", most, ".")
                        : text("Use layers of up to ", std::numeric_limits<int>::max() / nn::evaluated_at_once, "."));
}

}  // namespace krossfold::training
