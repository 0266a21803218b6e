// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/random.hpp"
#include "krossfold/nn/network.hpp"

namespace krossfold::nn {

struct TrainingParams {
  int epochs = 20;  ///< at most
  double stop_ratio =
      0.8;         ///< ends after an epoch whose loss is above this share of the one before; infinity never ends it so
  int batch = 10;  ///< samples of a step; the last of an epoch takes what is left
  double rate = 0.01, momentum = 0.9;
  StreamId stream;  ///< of the order of the samples: epoch e takes the draws from e << 32 on
};

struct TrainingResult {
  std::vector<double> epoch_loss;  ///< mean of the losses of the steps, each taken before its step
  bool diverged = false;
  std::string reason;  ///< of the divergence: "loss nan in step 17 of epoch 2"
};

/// Called after each epoch, with its number from 0 on and the losses of its steps. May be empty.
using EpochReport = std::function<void(int epoch, const std::vector<double>& step_loss)>;

/// The order in which epoch `epoch` goes through `rows`.
std::vector<int> epoch_order(const StreamId& stream, int epoch, std::span<const int> rows);

/// Trains with stochastic gradient descent on the samples `rows` (an index may occur several times), in a new random order each
/// epoch. Ends at the first loss that is not finite; that is looked for every 64 steps, so the weights may be from some steps
/// later. Polls at every step.
template <class Exec>
TrainingResult train(Network<Exec>& network, const Samples<Exec>& samples, std::span<const int> rows,
                     const TrainingParams& params, const Poll& poll = {}, const EpochReport& report = {});

}  // namespace krossfold::nn
