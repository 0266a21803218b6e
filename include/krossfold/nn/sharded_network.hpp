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

/// What the workers of a training split: each batch (data parallel) or the weights (model parallel, see Network).
enum class Sharing { batch, weights };

/// Minimum number of samples evaluated at a time: evaluating in batches of ten would read all weights for every ten samples.
inline constexpr int evaluated_at_once = 64;

/// Mean loss of samples in nats, and the fraction that the network misclassifies.
struct Evaluation {
  double loss = 0, error = 0;
  std::vector<std::int32_t> choice{};  ///< (sample): the class that it takes the sample for, -1 if it finds none (NaN)
};

/// A network trained by stochastic gradient descent with momentum on the workers of an exchange. Its steps equal those
/// of one worker up to rounding; for a given number of shards they are bitwise identical on any number of workers, and
/// for one shard identical to Network::step().
///
/// A dense layer's weight gradient is the product of its input and its output's gradient. In data parallel training, if
/// these factors are smaller than the gradient, the workers exchange them instead and each updating worker forms the
/// product in its own step: the gradient is neither stored nor sent.
template <class Exec>
class ShardedNetwork {
public:
  using Space = Exec;
  using Samples = nn::Samples<Exec>;

  /// For batches of up to `batch` samples over all shards. The exchange must outlive the network. With factors = false
  /// gradients are always exchanged, for strategies where only the root updates.
  ShardedNetwork(const Exec& exec, const Architecture& architecture, int batch, Exchange<Exec>& exchange,
                 Sharing sharing, bool factors = true);

  Network<Exec>& network() { return network_; }
  const Exec& exec() const { return network_.exec(); }

  /// As Network::step(), on the samples of all shards; loss(s) of other workers' samples is left unchanged.
  void step(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first, int count,
            const StepParams& params, const Vector<double, Exec>& loss);
  /// Completes losses that are 0 where other workers have computed them. Where the weights are split, each worker has all losses, and all get
  /// those of the first: computed on other processors they may differ in the last bits, and all workers have to decide alike.
  void share_losses(std::span<double> loss);
  void begin_step(const StepParams& params) { network_.begin_step(params); }
  /// As Network::repeats(): only if one worker computes whole batches.
  bool repeats(int count) const { return exchange_.shards == 1 && network_.repeats(count); }

  /// Evaluates samples without dropout; identical on all workers, NaN for no samples. Each worker computes the shares of
  /// its shards and polls equally often.
  Evaluation evaluate(const Samples& samples, const Poll& poll = {});

  /// The state of the weights on this worker.
  void write_state(ByteWriter& writer) const { network_.write_state(writer); }
  void read_state(ByteReader& reader) { network_.read_state(reader); }

private:
  /// Location of a dense layer's gradient; the weights' is stored only if its factors are not exchanged instead.
  struct Place {
    bool factors;
    std::int64_t bias, weight;  ///< offsets in gradient_
  };

  void share_weights();
  Vector<float, Exec> gradient_of(int own_shard) const;
  /// Numbers per sample in factors_ for the first `layers` layers.
  std::int64_t factors_of_sample(std::size_t layers) const;
  Gradients<Exec> gradients_of(int own_shard, const Share& share) const;
  void update(int count, const StepParams& params);
  void update_from_factors(std::size_t layer, int count, float rate, float momentum);

  Network<Exec> network_;
  Exchange<Exec>& exchange_;
  Sharing sharing_;
  std::vector<Place> place_;  ///< (dense layer)
  Matrix<float, Exec>
      gradient_;  ///< (own shard, number): convolution, then for each layer biases and, without factors, weights
  Vector<float, Exec> sum_;            ///< over all shards
  Vector<float, Exec> factors_;        ///< shard after shard: x, then dy of each layer
  Vector<float, Exec> x_, dy_, work_;  ///< of the whole batch, for one layer
};

}  // namespace krossfold::nn
