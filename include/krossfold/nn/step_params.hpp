// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/random.hpp"

namespace krossfold::nn {

/// Parameters of one training step.
struct StepParams {
  double rate = 0.01, momentum = 0.9;
  StreamId stream = {};  ///< of the training, for dropout
  int epoch = 0;
  const Poll* poll =
      nullptr;         ///< of a Network: called within long steps; if it throws, its weights are of no use any more
  bool begun = false;  ///< begin_step() of the model was called before, as where a recorded step is launched again
};

/// The random stream of dropout; dropout is off unless `on`.
struct DropoutStream {
  bool on = false;
  StreamId stream;  ///< its fold and trial are replaced by layer and epoch
  int epoch = 0;
  const std::uint32_t* epoch_on_device = nullptr;  ///< if given, what kernels take instead when they run

  /// The stream of one layer.
  StreamId of(std::size_t layer) const {
    StreamId own = stream;
    own.purpose = random_purpose_dropout;
    own.fold = static_cast<std::uint16_t>(layer);
    own.trial = static_cast<std::uint32_t>(epoch);
    return own;
  }
};

}  // namespace krossfold::nn
