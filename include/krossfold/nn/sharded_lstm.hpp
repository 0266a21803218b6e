// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/nn/epoch_on_device.hpp"
#include "krossfold/nn/exchange.hpp"
#include "krossfold/nn/lstm_network.hpp"
#include "krossfold/nn/step_params.hpp"

namespace krossfold::nn {

/// A character model trained with Adam on batches shared by the shards of an exchange. The steps equal those of one
/// shard up to rounding; for a given number of shards they are bitwise identical on any number of workers.
template <class Exec>
class ShardedLstm {
public:
  using Space = Exec;
  using Samples = Windows<Exec>;

  /// The exchange must outlive the model. part: number of windows computed at a time.
  ShardedLstm(const Exec& exec, const LstmArchitecture& architecture, int part, Exchange<Exec>& exchange);

  LstmNetwork<Exec>& network() { return network_; }
  const Exec& exec() const { return network_.exec(); }

  /// An Adam step with params.rate on the windows row[first] ... row[first + count - 1] of all shards. loss(w) = the
  /// loss of window w / count for windows of this worker's shards; other entries are left unchanged.
  void step(const Windows<Exec>& windows, const Vector<const int, Exec>& row, std::int64_t first, int count,
            const StepParams& params, const Vector<double, Exec>& loss);
  /// Completes losses that are 0 where other workers have computed them.
  void share_losses(std::span<double> loss) { exchange_.share_numbers(loss); }
  /// What a step does that depends on its number; step() calls it unless params.begun.
  void begin_step(const StepParams& params);
  /// As Network::repeats(): on a device, if one worker computes whole batches.
  bool repeats(int count) const;

  /// Mean loss of the windows without dropout, identical on all workers; NaN for no windows. Each worker computes the
  /// shares of its shards and polls equally often.
  double mean_loss(const Windows<Exec>& windows, const Poll& poll = {});

  void write_state(ByteWriter& writer) const;
  void read_state(ByteReader& reader);

private:
  LstmNetwork<Exec> network_;
  Exchange<Exec>& exchange_;
  Matrix<float, Exec> gradient_;  ///< (own shard, number)
  Vector<float, Exec> sum_, mean_, square_;
  Vector<float, Exec> factors_;  ///< of Adam's step
  EpochOnDevice<Exec> epoch_;
  std::int64_t steps_ = 0;
};

}  // namespace krossfold::nn
