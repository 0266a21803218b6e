// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/nn/exchange.hpp"
#include "krossfold/nn/lstm_network.hpp"
#include "krossfold/nn/step_params.hpp"

namespace krossfold::nn {

/// A character model in training with Adam, whose batches are shared by the shards of an exchange. With W shards the steps are those of one
/// shard but for rounding; for given W they have the same bits however many workers compute them.
template <class Exec>
class ShardedLstm {
public:
  using Space = Exec;
  using Samples = Windows<Exec>;

  /// The exchange must outlive it. part: windows that are computed at a time.
  ShardedLstm(const Exec& exec, const LstmArchitecture& architecture, int part, Exchange<Exec>& exchange);

  LstmNetwork<Exec>& network() { return network_; }
  const Exec& exec() const { return network_.exec(); }

  /// A step of Adam with params.rate on the windows row[first] ... row[first + count - 1] of all shards. loss(w): that of a window of this
  /// worker's shards, / count; those of others are left alone.
  void step(const Windows<Exec>& windows, const Vector<const int, Exec>& row, std::int64_t first, int count,
            const StepParams& params, const Vector<double, Exec>& loss);
  /// Losses that were 0 where other workers have them, from all.
  void share_losses(std::span<double> loss) { exchange_.share_numbers(loss); }

  /// Mean loss of windows, without dropout; each worker computes the shares of its shards. The same on all
  /// workers; NaN of none. Polls as often on each.
  double mean_loss(const Windows<Exec>& windows, const Poll& poll = {});

  void write_state(ByteWriter& writer) const;
  void read_state(ByteReader& reader);

private:
  LstmNetwork<Exec> network_;
  Exchange<Exec>& exchange_;
  Matrix<float, Exec> gradient_;  ///< (own shard, number)
  Vector<float, Exec> sum_, mean_, square_;
  std::int64_t steps_ = 0;
};

}  // namespace krossfold::nn
