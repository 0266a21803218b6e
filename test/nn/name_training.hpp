// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A short training of a small character model on the built-in names, with any exchange.

#include <limits>
#include <vector>

#include "krossfold/input/names.hpp"
#include "krossfold/nn/rows.hpp"
#include "krossfold/nn/sharded_lstm.hpp"
#include "krossfold/nn/training.hpp"

namespace krossfold::test {

struct NameCurve {
  std::vector<double> step, held_out;  ///< loss of each step; held-out loss after each epoch
  std::vector<float> weight;           ///< final weights
};

inline nn::Windows<Device> windows_of(const std::vector<std::string>& names) {
  const input::NameWindows made = input::name_windows(names, 8);
  return {list_on<Device>("krossfold::test::symbol", made.symbol), list_on<Device>("krossfold::test::next", made.next),
          made.steps};
}

inline const nn::LstmArchitecture small_name_network{.layers = 2, .hidden = 24, .dropout = 0.2};

inline nn::TrainingParams name_params() {
  nn::TrainingParams params;
  params.epochs = 3;
  params.stop_ratio = std::numeric_limits<double>::infinity();
  params.batch = 20;
  params.rate = 0.01;
  params.stream = {.seed = 5, .purpose = random_purpose_sample_order};
  return params;
}

/// Three epochs of 23 steps; the last batch of each is smaller. If leave_at > 0, the training stops after that many
/// steps and a new one resumes from its state.
inline NameCurve train_names(nn::Exchange<Device>& exchange, int leave_at = 0) {
  const input::NameTask task = input::split_names(input::load_names("names"), 443);
  const auto train = windows_of(task.train.name), held_out = windows_of(task.held_out.name);
  const std::vector<int> rows = nn::all_rows(train.size());
  const nn::TrainingParams params = name_params();
  NameCurve curve;
  const auto run = [&](nn::ShardedLstm<Device>& model, nn::Training<nn::ShardedLstm<Device>>& training, int steps) {
    const Poll poll = [&] {
      if (steps-- == 0) throw Stopped();
    };
    try {
      while (!training.finished()) {
        training.start_steps(poll);
        training.read_losses([&](int, const std::vector<double>& losses) {
          curve.step.insert(curve.step.end(), losses.begin(), losses.end());
          curve.held_out.push_back(model.mean_loss(held_out));
        });
      }
    } catch (const Stopped&) {
      training.read_losses();
    }
    const auto weight = on_host(model.network().weight());
    curve.weight.assign(weight.data(), weight.data() + weight.extent(0));
  };
  nn::ShardedLstm<Device> model(Device(), small_name_network, 7, exchange);
  model.network().initialize({.seed = 5, .purpose = random_purpose_initial_weights});
  nn::Training<nn::ShardedLstm<Device>> training(model, train, rows, params);
  run(model, training, leave_at > 0 ? leave_at : -1);
  if (leave_at == 0) return curve;
  ByteWriter writer;
  training.write_state(writer);
  const auto state = writer.take();
  nn::ShardedLstm<Device> second(Device(), small_name_network, 7, exchange);
  nn::Training<nn::ShardedLstm<Device>> goes_on(second, train, rows, params);
  ByteReader reader(state, "state");
  goes_on.read_state(reader);
  reader.expect_end();
  run(second, goes_on, -1);
  return curve;
}

}  // namespace krossfold::test
