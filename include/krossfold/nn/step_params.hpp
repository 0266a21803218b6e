// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/random.hpp"

namespace krossfold::nn {

/// What a step takes of the training it is part of.
struct StepParams {
  double rate = 0.01, momentum = 0.9;
  StreamId stream = {};  ///< of the training, for dropout
  int epoch = 0;
};

/// Where the draws of dropout come from; no dropout without one.
struct DropoutStream {
  bool on = false;
  StreamId stream;  ///< layer and epoch are put into fold and trial
  int epoch = 0;

  /// Of a layer.
  StreamId of(std::size_t layer) const {
    StreamId own = stream;
    own.purpose = random_purpose_dropout;
    own.fold = static_cast<std::uint16_t>(layer);
    own.trial = static_cast<std::uint32_t>(epoch);
    return own;
  }
};

}  // namespace krossfold::nn
