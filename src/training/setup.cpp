// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/training/setup.hpp"

#include <algorithm>

#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/nn/network.hpp"
#include "krossfold/nn/sharded_network.hpp"

namespace krossfold::training {

int TrainingSetup::windows_at_once() const { return std::max(1, cpu_backend() ? std::min(share(), 128) : share()); }

std::int64_t TrainingSetup::parameters() const {
  return std::visit([](const auto& form) { return form.parameters(); }, architecture);
}

std::string TrainingSetup::describe() const {
  return std::visit([](const auto& form) { return nn::describe(form); }, architecture);
}

Exchanged TrainingSetup::exchanged() const {
  if (is_lstm()) return {lstm().parameters(), 0, 1, 0};
  const nn::Architecture& form = network();
  const auto units = form.dense_units();
  const std::int64_t batch = training.batch;
  Exchanged all;
  if (splits_weights()) {
    for (const int width : units) all.summed += width * batch;
    for (const int width : form.hidden) all.gathered += width * batch;
    all.sums = static_cast<int>(units.size());
    all.gathers = static_cast<int>(form.hidden.size());
    return all;
  }
  if (form.channels > 0) all.summed = form.channels * (form.conv(1).taps() + std::int64_t{1});
  std::int64_t inputs = form.dense_inputs();
  for (const int width : units) {
    // The smaller of a layer's gradient and its factors, as in nn::ShardedNetwork.
    const std::int64_t factors = (inputs + width) * batch, gradient = inputs * width;
    const bool gathers = strategy != Strategy::data_parallel && factors < gradient;
    all.summed += width + (gathers ? 0 : gradient);
    all.gathered += gathers ? factors : 0;
    all.replicated += gathers ? 2.0 * static_cast<double>(gradient) / form.training_flops() : 0;
    inputs = width;
  }
  all.sums = 1;
  all.gathers = all.gathered > 0 ? 1 : 0;
  return all;
}

std::uint64_t TrainingSetup::state_bytes() const {
  if (is_lstm()) return 3 * sizeof(float) * static_cast<std::uint64_t>(lstm().parameters());  // Adam has two moments
  return nn::state_bytes(network()) / static_cast<std::uint64_t>(splits_weights() ? ranks : 1);
}

std::uint64_t TrainingSetup::bytes() const {
  const int own = workers / ranks;
  const bool split = splits_weights();
  // Buffers of a sum: the rank's own terms, the result, what it receives (a root receives from all) and, with several shards on a
  // rank, a rearranged copy.
  const auto [summed, gathered, sums, gathers, replicated] = exchanged();
  const std::int64_t received = strategy == Strategy::data_parallel ? workers : own + 1;
  const std::int64_t rearranged = own > 1 && ranks > 1 ? own : 0;
  const std::int64_t floats = summed * (own + 1 + (ranks > 1 ? received + rearranged : 0)) + 2 * gathered;
  const std::uint64_t exchange = split || workers == 1 ? 0 : sizeof(float) * static_cast<std::uint64_t>(floats);
  if (is_lstm()) {
    // On a host, products in reduced precision round copies of their factors: at most the gradients of all gates, the outputs of a layer
    // and its weights.
    const std::int64_t hidden = lstm().hidden, rows = std::int64_t{windows_at_once()} * lstm().steps;
    const bool copies = cpu_backend() && precision != kernels::Precision::single;
    const std::int64_t rounded = copies ? rows * 5 * hidden + 4 * hidden * hidden : 0;
    return nn::network_bytes(lstm(), windows_at_once()) + exchange +
           sizeof(float) * static_cast<std::uint64_t>(4 * lstm().parameters() + rounded);
  }
  // Storing the model takes a copy of the weights and the file twice; a checkpoint takes less.
  const std::uint64_t copies = cpu_backend() ? state_bytes() / 2 * 3 : 0;
  const std::uint64_t best = keeps_best ? sizeof(float) * static_cast<std::uint64_t>(parameters()) /
                                              static_cast<std::uint64_t>(split ? ranks : 1)
                                        : 0;
  return nn::network_bytes(network(), std::max(nn::evaluated_at_once, share()), split ? ranks : 1) + exchange + copies +
         best;
}

}  // namespace krossfold::training
