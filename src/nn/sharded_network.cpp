// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/nn/sharded_network.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "krossfold/kernels/join_samples.hpp"
#include "krossfold/kernels/sgd.hpp"
#include "krossfold/nn/rows.hpp"
#include "part_of.hpp"

namespace krossfold::nn {
namespace {

template <class Exec>
Vector<double, Exec> part_of(const Vector<double, Exec>& all, const Share& share) {
  return Kokkos::subview(all, Kokkos::make_pair(share.first, share.first + share.count));
}

/// Maximum number of samples of a batch that a worker computes at a time.
int largest_share(int batch, int shards, Sharing sharing) {
  return sharing == Sharing::batch ? (batch + shards - 1) / shards : batch;
}

}  // namespace

template <class Exec>
ShardedNetwork<Exec>::ShardedNetwork(const Exec& exec, const Architecture& architecture, int batch,
                                     Exchange<Exec>& exchange, Sharing sharing, bool factors)
    : network_(exec, architecture, std::max(evaluated_at_once, largest_share(batch, exchange.shards, sharing)),
               sharing == Sharing::weights ? &exchange : nullptr),
      exchange_(exchange),
      sharing_(sharing) {
  if (sharing == Sharing::weights || exchange.shards == 1) return;
  // The arrays of dense layers begin at whole vectors (kernels/dense.hpp); what lies between stays 0.
  std::int64_t numbers = padded<float>(static_cast<int>(network_.conv_weight().extent(0)));
  std::int64_t all_factors = 0, largest_x = 0, largest_dy = 0;
  for (std::size_t l = 0; l < network_.dense_layers(); ++l) {
    const DenseWeights<Exec>& layer = network_.dense(l);
    const auto shape = layer.shape(batch);
    Place place{factors && (layer.inputs + layer.units) * batch < layer.inputs * layer.units, numbers, 0};
    numbers += shape.stride();
    place.weight = numbers;
    if (place.factors) {
      const std::int64_t x = layer.inputs * batch, dy = shape.tile_size();
      all_factors += x + dy;
      largest_x = std::max(largest_x, x);
      largest_dy = std::max(largest_dy, dy);
    } else {
      numbers += shape.weights();
    }
    place_.push_back(place);
  }
  gradient_ = Matrix<float, Exec>("krossfold::nn::gradient", exchange.own, numbers);
  std::vector<std::int64_t> begin;
  if (place_[0].bias > 0) begin.push_back(0);
  for (const Place& place : place_) begin.push_back(place.bias);
  begin.push_back(numbers);
  exchange.expect_gradient(begin);
  if (exchange.updates) sum_ = Vector<float, Exec>("krossfold::nn::gradient_sum", numbers);
  factors_ = Vector<float, Exec>("krossfold::nn::factors", all_factors);
  x_ = Vector<float, Exec>("krossfold::nn::factor_x", largest_x);
  dy_ = Vector<float, Exec>("krossfold::nn::factor_dy", largest_dy);
  work_ = Vector<float, Exec>("krossfold::nn::factor_work", largest_dy);
}

template <class Exec>
Vector<float, Exec> ShardedNetwork<Exec>::gradient_of(int own_shard) const {
  const auto size = static_cast<std::int64_t>(gradient_.extent(1));
  return Vector<float, Exec>(gradient_.data() + own_shard * size, size);
}

template <class Exec>
void ShardedNetwork<Exec>::share_weights() {
  const auto share = [this](const Vector<float, Exec>& weight) {
    if (weight.extent(0) > 0) exchange_.share_weights(exec(), weight);
  };
  share(network_.conv_weight());
  for (std::size_t l = 0; l < network_.dense_layers(); ++l) {
    const DenseWeights<Exec>& layer = network_.dense(l);
    share(layer.weight);
    share(layer.bias);
  }
}

template <class Exec>
std::int64_t ShardedNetwork<Exec>::factors_of_sample(std::size_t layers) const {
  std::int64_t numbers = 0;
  for (std::size_t l = 0; l < layers; ++l) {
    if (place_[l].factors) numbers += network_.dense(l).inputs + network_.dense(l).shape(1).stride();
  }
  return numbers;
}

template <class Exec>
Gradients<Exec> ShardedNetwork<Exec>::gradients_of(int own_shard, const Share& share) const {
  const Vector<float, Exec> own = gradient_of(own_shard);
  const std::int64_t begin = factors_of_sample(place_.size()) * share.first;
  Gradients<Exec> gradients;
  gradients.conv = part_of<Exec>(own, 0, static_cast<std::int64_t>(network_.conv_weight().extent(0)));
  for (std::size_t l = 0; l < place_.size(); ++l) {
    const auto& layer = network_.dense(l);
    const auto shape = layer.shape(share.count);
    typename Gradients<Exec>::Dense dense;
    dense.bias = part_of<Exec>(own, place_[l].bias, shape.stride());
    if (place_[l].factors) {
      const std::int64_t at = begin + factors_of_sample(l) * share.count, x = layer.inputs * share.count;
      dense.x = part_of<Exec>(factors_, at, x);
      dense.dy = part_of<Exec>(factors_, at + x, shape.tile_size());
    } else {
      dense.weight = part_of<Exec>(own, place_[l].weight, shape.weights());
    }
    gradients.dense.push_back(dense);
  }
  return gradients;
}

template <class Exec>
void ShardedNetwork<Exec>::step(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first,
                                int count, const StepParams& params, const Vector<double, Exec>& loss) {
  if (sharing_ == Sharing::weights || exchange_.shards == 1) {
    return network_.step(samples, row, first, count, params, loss);
  }
  share_weights();
  for (int k = 0; k < exchange_.own; ++k) {
    const Share share = share_of(count, exchange_.first_shard + k, exchange_.shards);
    const auto sum_from = [this](std::int64_t begin) { exchange_.sum_from(exec(), sum_, gradient_, begin); };
    const bool last = k + 1 == exchange_.own;
    if (share.count == 0) {
      Kokkos::deep_copy(exec(), gradient_of(k), 0.0f);
      if (last) sum_from(0);
      continue;
    }
    Gradients<Exec> gradients = gradients_of(k, share);
    if (last) gradients.found = [&](int layer) { sum_from(layer < 0 ? 0 : place_[layer].bias); };
    network_.backward(samples, row, first + share.first, share.count, count, {true, params.stream, params.epoch},
                      gradients, part_of<Exec>(loss, share));
  }
  const std::int64_t per_sample = factors_of_sample(place_.size());
  if (per_sample > 0) {
    std::vector<std::int64_t> begin;
    for (int s = 0; s <= exchange_.shards; ++s)
      begin.push_back(per_sample * share_of(count, s, exchange_.shards).first);
    exchange_.gather_shards(exec(), part_of<Exec>(factors_, 0, begin.back()), begin);
  }
  exchange_.end_sum(exec(), sum_);
  if (exchange_.updates) update(count, params);
}

template <class Exec>
void ShardedNetwork<Exec>::update(int count, const StepParams& params) {
  const auto rate = static_cast<float>(params.rate), momentum = static_cast<float>(params.momentum);
  const auto descend = [&](const Vector<float, Exec>& weight, const Vector<float, Exec>& velocity, std::int64_t at) {
    const auto size = static_cast<std::int64_t>(weight.extent(0));
    if (size > 0) kernels::sgd<Exec>(exec(), weight, velocity, part_of<Exec>(sum_, at, size), rate, momentum);
  };
  descend(network_.conv_weight(), network_.conv_velocity(), 0);
  for (std::size_t l = 0; l < place_.size(); ++l) {
    const auto& layer = network_.dense(l);
    descend(layer.bias, layer.bias_velocity, place_[l].bias);
    if (place_[l].factors) {
      update_from_factors(l, count, rate, momentum);
    } else {
      descend(layer.weight, layer.velocity, place_[l].weight);
    }
  }
}

template <class Exec>
void ShardedNetwork<Exec>::update_from_factors(std::size_t layer, int count, float rate, float momentum) {
  const auto& dense = network_.dense(layer);
  const auto shape = dense.shape(count);
  const std::int64_t per_sample = factors_of_sample(place_.size()), before = factors_of_sample(layer);
  std::vector<int> first{0};
  std::vector<std::int64_t> x, dy;
  for (int s = 0; s < exchange_.shards; ++s) {
    const Share share = share_of(count, s, exchange_.shards);
    first.push_back(share.first + share.count);
    x.push_back(per_sample * share.first + before * share.count);
    dy.push_back(x.back() + dense.inputs * share.count);
  }
  kernels::join_samples<Exec>(exec(), x_, factors_, first, x, dense.inputs, 1);
  kernels::join_samples<Exec>(exec(), dy_, factors_, first, dy, shape.tiles(), kernels::unit_tile);
  kernels::DenseUpdate update;
  update.rate = rate;
  update.momentum = momentum;
  update.input_gradient = false;
  kernels::dense_backward<Exec>(exec(), kernels::best_dense_form<Exec>(count),
                                {dense.weight, dense.velocity, {}, x_, dy_, work_}, shape, update);
}

template <class Exec>
void ShardedNetwork<Exec>::share_losses(std::span<double> loss) {
  if (sharing_ == Sharing::weights && exchange_.first_shard != 0) std::fill(loss.begin(), loss.end(), 0.0);
  exchange_.share_numbers(loss);
}

template <class Exec>
Evaluation ShardedNetwork<Exec>::evaluate(const Samples& samples, const Poll& poll) {
  const int n = samples.size();
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (n == 0) return {none, none, {}};
  const bool shared = sharing_ == Sharing::batch;
  if (shared) share_weights();
  const auto row = list_on<Exec>("krossfold::nn::row", all_rows(n));
  const Matrix<double, Exec> found("krossfold::nn::evaluation", 2, n);  // losses, then choices
  for (int k = 0; k < (shared ? exchange_.own : 1); ++k) {
    // Shard by shard: the rounding of a product may depend on its size.
    const Share share = shared ? share_of(n, exchange_.first_shard + k, exchange_.shards) : Share{0, n};
    // Every shard has the same number of pieces, so that all workers poll together.
    const int largest = shared ? largest_share(n, exchange_.shards, sharing_) : n;
    for (int done = 0; done < largest; done += network_.batch()) {
      call(poll);
      if (done >= share.count) continue;
      const Share part{share.first + done, std::min(network_.batch(), share.count - done)};
      const Vector<double, Exec> loss(found.data(), n), choice(found.data() + n, n);
      network_.evaluate(samples, row, part.first, part.count, part_of<Exec>(loss, part), part_of<Exec>(choice, part));
    }
  }
  fence(exec(), "krossfold::nn::evaluate");
  const auto all = on_host(found);
  share_losses({all.data(), 2 * static_cast<std::size_t>(n)});
  const auto label = on_host(samples.label);
  Evaluation evaluation{std::accumulate(all.data(), all.data() + n, 0.0) / n, 0, {}};
  int wrong = 0;
  for (int s = 0; s < n; ++s) {
    evaluation.choice.push_back(static_cast<std::int32_t>(all(1, s)));
    wrong += evaluation.choice.back() != label(s) ? 1 : 0;
  }
  evaluation.error = static_cast<double>(wrong) / n;
  return evaluation;
}

#define KROSSFOLD_INSTANTIATE(Exec) template class ShardedNetwork<Exec>;
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::nn
