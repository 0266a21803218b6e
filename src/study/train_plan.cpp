// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/train_plan.hpp"

#include <algorithm>
#include <cmath>

#include "batch_limit.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/nn/sharded_network.hpp"
#include "report_values.hpp"

namespace krossfold::study {

namespace {

void check(bool right, const std::string& problem, const std::string& why, const std::string& suggestion) {
  if (!right) throw_input_error(problem, why, suggestion);
}

kernels::Activation activation_of(const std::string& name) {
  const std::vector<std::string> names = {"relu", "tanh", "sigmoid"};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    const std::string near = nearest_word(name, names);
    throw_input_error(text("unknown --activation '", name, "'"), "",
                      near.empty() ? "Use relu, tanh or sigmoid." : text("Did you mean ", near, "?"));
  }
  return static_cast<kernels::Activation>(1 + found - names.begin());
}

void check_numbers(const TrainParams& params, int samples) {
  check(params.batch >= 1 && params.batch <= samples, text("bad --batch ", params.batch),
        text("it is a number of samples from 1 to the ", samples, " of the training part"),
        "All workers together take so many in a step.");
  check(params.epochs >= 1 && params.epochs <= 1'000'000, text("bad --epochs ", params.epochs), "it is at least 1", "");
  check(std::isfinite(*params.rate) && *params.rate > 0, text("bad --rate ", shortest(*params.rate)), "it is above 0",
        "For example 0.001.");
  check(params.momentum >= 0 && params.momentum <= 1, text("bad --momentum ", shortest(params.momentum)),
        "it is a number from 0 to 1", "The default is 0.9.");
  check(params.stop_ratio > 0, text("bad --stop-ratio ", shortest(params.stop_ratio)), "it is above 0",
        "The default is inf.");
  check(*params.dropout >= 0 && *params.dropout < 1, text("bad --dropout ", shortest(*params.dropout)),
        "it is a share of the units, from 0 to below 1", "");
}

/// How the ranks share the training.
void plan_workers(TrainPlan& plan) {
  TrainParams& params = plan.params;
  const int ranks = plan.ranks;
  if (params.workers == 0) params.workers = ranks;
  if (params.strategy.empty()) params.strategy = params.workers > 1 ? "ddp" : "single";
  plan.strategy = parse_strategy(params.strategy);
  const bool split = plan.strategy == Strategy::model_parallel;
  check(plan.strategy != Strategy::single || params.workers == 1,
        text("--strategy single with ", params.workers, " workers"), "it is the training of one",
        "Start one rank, or choose ddp, data-parallel or model-parallel.");
  check(params.workers % ranks == 0, text(counted(params.workers, "worker"), " on ", counted(ranks, "rank")),
        "every rank computes as many workers as the others",
        text("Start a number of ranks that divides ", params.workers, "."));
  check(!split || !plan.is_lstm(), "--strategy model-parallel with lstm", "it splits convolutions and dense layers",
        "Use ddp.");
  check(!split || params.workers == ranks,
        text("--strategy model-parallel with ", counted(params.workers, "worker"), " on ", counted(ranks, "rank")),
        "each worker has a part of the weights in the memory of its own rank",
        text("Start ", counted(params.workers, "rank"), "."));
  check(split || params.workers <= params.batch, text(params.workers, " workers for a batch of ", params.batch),
        "some would have nothing to do in any step", "Raise --batch.");
}

void plan_lstm(TrainPlan& plan) {
  const TrainParams& params = plan.params;
  check(params.window >= 2 && params.window <= 1000, text("bad --window ", params.window),
        "it is a number of letters from 2 to 1000", "The default is 8.");
  check(params.hidden->size() == 1, text("bad --hidden ", list_text(*params.hidden)),
        "all layers of an lstm have as many cells", "For example --hidden 128.");
  plan.lstm = {data::name_symbols, params.window, params.layers, params.hidden->front(), *params.dropout};
  nn::check_architecture(plan.lstm, "--layers, --hidden");
}

void plan_network(TrainPlan& plan, const data::Task& task) {
  const TrainParams& params = plan.params;
  const data::Dataset& train = task.train;
  check(train.labelled() && task.test.labelled(), text(train.name, " has no labels"),
        "classes are what a network learns", "");
  const bool conv = params.network == "cnn", image = train.image.width > 0;
  check(!conv || image, text(train.name, " holds no images"), "convolutional networks need to know width and height",
        "Use krossfold train mlp.");
  nn::Architecture& form = plan.network;
  form.image = image ? train.image : data::ImageShape{train.features(), 1, 1};
  form.channels = conv ? params.channels : 0;
  form.kernel = conv ? params.kernel : 0;
  form.hidden = *params.hidden;
  form.classes = train.classes();
  form.activation = activation_of(params.activation);
  form.dropout = *params.dropout;
  nn::check_architecture(form, conv ? "--channels, --kernel, --hidden" : "--hidden");
  const bool split = plan.strategy == Strategy::model_parallel;
  if (split) nn::check_split(form, plan.ranks);
  std::int64_t widest = form.features();
  for (const int units : form.dense_units()) widest = std::max<std::int64_t>(widest, padded<float>(units));
  check_batch(params.batch, widest);
  plan.scale = data::fit_scale(train, params.scale);
}

}  // namespace

int TrainPlan::part() const {
  const int share = (params.batch + params.workers - 1) / params.workers;
  return std::max(1, cpu_backend() ? std::min(share, 128) : share);
}

Exchanged TrainPlan::exchanged() const {
  if (is_lstm()) return {lstm.parameters(), 0, 1, 0};
  const auto units = network.dense_units();
  const std::int64_t batch = params.batch;
  Exchanged all;
  std::int64_t inputs = network.dense_inputs();
  if (strategy == Strategy::model_parallel) {
    for (const int width : units) all.summed += width * batch;
    for (const int width : network.hidden) all.gathered += width * batch;
    all.sums = static_cast<int>(units.size());
    all.gathers = static_cast<int>(network.hidden.size());
    return all;
  }
  if (network.channels > 0) all.summed = network.channels * (network.conv(1).taps() + std::int64_t{1});
  for (const int width : units) {
    // The smaller of a layer's gradient and its factors, as nn::ShardedNetwork has it.
    const std::int64_t factors = (inputs + width) * batch, gradient = inputs * width;
    const bool gathers = strategy != Strategy::data_parallel && factors < gradient;
    all.summed += width + (gathers ? 0 : gradient);
    all.gathered += gathers ? factors : 0;
    all.replicated += gathers ? 2.0 * static_cast<double>(gradient) / network.training_flops() : 0;
    inputs = width;
  }
  all.sums = 1;
  all.gathers = all.gathered > 0 ? 1 : 0;
  return all;
}

std::uint64_t TrainPlan::bytes() const {
  const int own = params.workers / ranks;
  const bool split = strategy == Strategy::model_parallel;
  // Of the sums: what this rank adds, the result, and what it receives, on a root from all; rearranged where it has several shards.
  const auto [summed, gathered, sums, gathers, replicated] = exchanged();
  const std::int64_t received = strategy == Strategy::data_parallel ? params.workers : own + 1;
  const std::int64_t rearranged = own > 1 && ranks > 1 ? own : 0;
  const std::int64_t floats = summed * (own + 1 + (ranks > 1 ? received + rearranged : 0)) + 2 * gathered;
  const std::uint64_t exchange = split || params.workers == 1 ? 0 : sizeof(float) * static_cast<std::uint64_t>(floats);
  if (is_lstm()) {
    return nn::network_bytes(lstm, part()) + exchange +
           4 * sizeof(float) * static_cast<std::uint64_t>(lstm.parameters());
  }
  // Storing takes a copy of the weights and the file twice; a checkpoint takes less.
  const std::uint64_t copies =
      cpu_backend() ? nn::state_bytes(network) / 2 * 3 / static_cast<std::uint64_t>(split ? ranks : 1) : 0;
  const int share = split ? params.batch : (params.batch + params.workers - 1) / params.workers;
  return nn::network_bytes(network, std::max(nn::judged_at_once, share), split ? ranks : 1) + exchange + copies;
}

std::string TrainPlan::describe() const { return is_lstm() ? nn::describe(lstm) : nn::describe(network); }

TrainPlan plan_train(const TrainParams& params, const TrainTask& task, int ranks) {
  check_taken(params);
  TrainPlan plan;
  plan.params = with_defaults(params);
  plan.ranks = ranks;
  const int n = task.train_size();
  if (plan.params.epochs == 0 && plan.is_lstm()) {
    // Short lists need more of them: 1,000 steps.
    const int steps = (n + params.batch - 1) / std::max(1, params.batch);
    plan.params.epochs = std::max(15, (1000 + steps - 1) / std::max(1, steps));
  } else if (plan.params.epochs == 0) {
    plan.params.epochs = 20;
  }
  check_numbers(plan.params, n);
  plan_workers(plan);
  if (plan.is_lstm()) {
    plan_lstm(plan);
  } else {
    plan_network(plan, task.samples);
  }
  return plan;
}

}  // namespace krossfold::study
