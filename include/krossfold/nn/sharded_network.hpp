// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/nn/exchange.hpp"
#include "krossfold/nn/network.hpp"
#include "krossfold/nn/step_params.hpp"

namespace krossfold::nn {

/// What the workers of a training share: each batch (data parallel), or the weights (model parallel, see Network).
enum class Sharing { batch, weights };

/// Samples that are judged at a time, at least: a batch of ten would read all weights for ten of them.
inline constexpr int judged_at_once = 64;

/// Mean loss of samples, in nats, and the fraction of them whose class a network does not find.
struct Judgement {
  double loss = 0, error = 0;
};

/// A network in training with stochastic gradient descent with momentum, on the workers of an exchange. Its steps are those of one
/// worker but for rounding; for a given number of shards they have the same bits however many workers compute them, and for one shard
/// those of Network::step().
///
/// Where a batch is shared, a dense layer's gradient is the product of its input and its output's gradient. Where these two factors have
/// fewer numbers than the gradient, they are what the workers exchange, and each worker that updates forms the product in its own step:
/// the gradient is neither stored nor sent.
template <class Exec>
class ShardedNetwork {
public:
  using Space = Exec;
  using Samples = nn::Samples<Exec>;

  /// For batches of up to `batch` samples of all shards. The exchange must outlive it. With factors = false gradients are exchanged
  /// throughout, as a root without gathered factors needs.
  ShardedNetwork(const Exec& exec, const Architecture& architecture, int batch, Exchange<Exec>& exchange,
                 Sharing sharing, bool factors = true);

  Network<Exec>& network() { return network_; }
  const Exec& exec() const { return network_.exec(); }

  /// As Network::step(), on the samples of all shards; loss(s) of other workers' samples is left alone.
  void step(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first, int count,
            const StepParams& params, const Vector<double, Exec>& loss);
  /// Losses that were 0 where other workers have them, from all.
  void share_losses(std::span<double> loss);

  /// Without dropout; each worker computes the shares of its shards. The same on all workers; NaN of no samples. Polls
  /// as often on each.
  Judgement judge(const Samples& samples, const Poll& poll = {});

  /// Of the weights that this worker has.
  void write_state(ByteWriter& writer) const { network_.write_state(writer); }
  void read_state(ByteReader& reader) { network_.read_state(reader); }

private:
  /// Where the gradient of a dense layer stands; that of its weights only without factors.
  struct Place {
    bool factors;
    std::int64_t bias, weight;  ///< in gradient_
  };

  void share_weights();
  Vector<float, Exec> gradient_of(int own_shard) const;
  /// How many numbers a sample has in factors_, of the first layers.
  std::int64_t factors_of_sample(std::size_t layers) const;
  Gradients<Exec> gradients_of(int own_shard, const Share& share) const;
  void update(int count, const StepParams& params);
  void update_from_factors(std::size_t layer, int count, float rate, float momentum);

  Network<Exec> network_;
  Exchange<Exec>& exchange_;
  Sharing sharing_;
  std::vector<Place> place_;  ///< (dense layer)
  Matrix<float, Exec>
      gradient_;  ///< (own shard, number): the convolution's, then of each layer the biases' and perhaps the weights'
  Vector<float, Exec> sum_;            ///< over all shards
  Vector<float, Exec> factors_;        ///< of all shards, one after another: of each layer x, then dy
  Vector<float, Exec> x_, dy_, work_;  ///< of the whole batch, for one layer
};

}  // namespace krossfold::nn
