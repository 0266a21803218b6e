// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/random.hpp"

namespace krossfold::nn {

/// What a step takes of the training it is part of.
struct StepParams {
  double rate = 0.01, momentum = 0.9;
  StreamId stream;  ///< of the training, for dropout
  int epoch = 0;
};

}  // namespace krossfold::nn
