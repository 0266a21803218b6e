// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/layout.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "krossfold/core/error.hpp"
#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/nn/network.hpp"
#include "krossfold/nn/training.hpp"
#include "krossfold/studies/bag/payload.hpp"
#include "krossfold/training/batch_limit.hpp"

namespace krossfold::studies {

namespace {

void check_whole(const run::WholeRange& range, const std::string& option, int most, const std::string& example) {
  require(range.low >= 1 && range.low <= range.high && range.high <= most,
          text("bad range ", range.low, ":", range.high, " of ", option),
          text("LO:HI are whole numbers from 1 to ", most, ", LO not above HI"),
          text("For example ", option, " ", example, "."));
}

int whole_in(const run::WholeRange& range, const StreamId& stream, std::uint64_t draw) {
  return range.low +
         static_cast<int>(random_below(stream, draw, static_cast<std::uint64_t>(range.high - range.low) + 1));
}

double power_in(const run::Range& range, const StreamId& stream, std::uint64_t draw) {
  return std::pow(10.0, range.low + (range.high - range.low) * random_uniform(stream, draw));
}

}  // namespace

nn::Architecture BagLayout::architecture(const Trial& trial) const {
  return {image, trial.channels, trial.kernel, {trial.hidden}, classes};
}

BagLayout lay_out_bag(const BagParams& params, const data::Task& task) {
  const auto& [width, height, input_channels] = task.train.image;
  require(std::int64_t{width} * height * input_channels == task.train.features(),
          text(task.train.name, " holds no images"), "convolutional networks need to know width and height",
          "Say it with --image WIDTHxHEIGHT[xCHANNELS], or give an array (sample, channel, row, column).");
  require(task.train.labelled() && task.train.classes() >= 2,
          text(task.train.name, ": only one class in the training part"), "there is nothing to tell apart",
          "Check the labels, or give a larger --limit.");
  require(params.bootstraps >= 1 && params.bootstraps <= 10000, text("bad --bootstraps ", params.bootstraps),
          "it is a number of networks from 1 to 10000", "The default is 12.");
  require(params.trials >= 1 && params.trials <= 10000, text("bad --trials ", params.trials),
          "it is a number from 1 to 10000", "The default is 12.");
  require(params.batch >= 1 && params.batch <= task.train.size(), text("bad --batch ", params.batch),
          text("it is a number of samples from 1 to the ", task.train.size(), " of the training part"),
          text("Give --batch ", std::min(task.train.size(), 10), "."));
  require(params.epochs >= 1 && nn::has_draws(params.epochs, params.stop_ratio), text("bad --epochs ", params.epochs),
          text("it is a number from 1 to ", nn::most_epochs), "The default is 20.");
  require(params.stop_ratio > 0, text("bad --stop-ratio ", shortest(params.stop_ratio)),
          "it is a share of the previous epoch's loss, above 0; inf trains all epochs", "The default is 0.8.");
  const int side = std::min(width, height);
  BagLayout search;
  search.params = params;
  search.kernel = params.kernel.value_or(run::WholeRange{std::min(2, side), std::min(10, side)});
  // The largest network gets at most 12.5 weights for each number of the training part.
  const double numbers = static_cast<double>(task.train.size()) * task.train.features();
  const double largest = 999.0 * 1999.0 * std::max(1, width / 2) * std::max(1, height / 2);
  const double affordable = std::sqrt(std::min(1.0, 12.5 * numbers / largest));
  const auto shrunk = [&](int most, int least) {
    const std::int64_t pixels = task.train.features(), share = most * pixels / 784;
    const auto few = static_cast<std::int64_t>(most * affordable);
    return run::WholeRange{1, static_cast<int>(std::clamp<std::int64_t>(std::min(share, few), least, most))};
  };
  search.channels = params.channels.value_or(shrunk(999, 8));
  search.hidden = params.hidden.value_or(shrunk(1999, 16));
  check_whole(search.channels, "--channels", 1'000'000, "1:32");
  check_whole(search.kernel, "--kernel", side, text("1:", side));
  check_whole(search.hidden, "--hidden", 1'000'000, "1:256");
  training::check_batch(params.batch, padded<float>(std::max(search.hidden.high, task.train.features())));
  run::check_powers(params.log10_rate, "--log10-rate", 30, "-5:-1");
  run::check_powers(params.log10_momentum, "--log10-momentum", 0, "-2:0");
  search.folds = data::split_folds(task.train, data::parse_fold_kind(params.fold_kind), params.folds, params.seed);
  const Vector<const int>& group = task.train.group;
  const int most = task.train.size() / 2;
  require(std::none_of(search.folds.held.begin(), search.folds.held.end(),
                       [](const auto& held) { return held.size() < 2; }),
          text(search.folds.folds(), " folds of kind ", params.fold_kind, " leave nothing to draw"),
          "bootstrap samples are drawn within folds, and a fold of one sample can only draw itself",
          most < 2                              ? "Give more samples."
          : group.extent(0) != 0                ? "Use fewer folds."
          : params.fold_kind == "leave-one-out" ? text("Use another kind, and at most ", most, " folds.")
                                                : text("Use at most ", most, " folds."));
  const auto groups_of = [&](const std::vector<int>& held) {
    std::set<int> groups;
    for (const int i : held) groups.insert(group(i));
    return groups.size();
  };
  require(group.extent(0) == 0 || std::any_of(search.folds.held.begin(), search.folds.held.end(),
                                              [&](const auto& held) { return groups_of(held) > 1; }),
          text(search.folds.folds(), " folds of one group each"),
          "whole groups are drawn within folds, and a fold of one group can only draw itself",
          "Use fewer folds, or leave --group out.");
  search.scale = data::fit_scale(task.train, params.scale);
  search.class_weights = data::parse_class_weights(params.class_weight, task.train.class_name);
  search.image = task.train.image;
  search.samples = task.train.size();
  search.classes = task.train.classes();
  search.test_samples = task.test.size();
  search.folds_together = !cpu_backend() && !params.prune;
  return search;
}

Trial draw_trial(const BagLayout& search, int bootstrap, int trial) {
  const BagParams& params = search.params;
  const StreamId stream{.seed = params.seed,
                        .purpose = random_purpose_trial,
                        .bootstrap = static_cast<std::uint16_t>(bootstrap),
                        .trial = static_cast<std::uint32_t>(trial)};
  return {whole_in(search.channels, stream, 0), whole_in(search.kernel, stream, 1), whole_in(search.hidden, stream, 2),
          power_in(params.log10_rate, stream, 3), power_in(params.log10_momentum, stream, 4)};
}

StreamId stream_of(const BagLayout& search, RandomPurpose purpose, const UnitKey& key) {
  return {.seed = search.params.seed,
          .purpose = purpose,
          .bootstrap = static_cast<std::uint16_t>(key.index[0]),
          .fold = static_cast<std::uint16_t>(key.kind == bag_unit_trial ? key.index[2] + 1 : 0),
          .trial = static_cast<std::uint32_t>(key.index[1])};
}

std::uint64_t training_bytes(const BagLayout& search, const nn::Architecture& architecture) {
  return nn::network_bytes(architecture, search.room()) + (cpu_backend() ? nn::state_bytes(architecture) : 0);
}

double training_cost(const nn::Architecture& architecture, int batch, int samples) {
  const double steps = std::ceil(static_cast<double>(samples) / batch);
  // A step reads the weights forward, and reads and writes weights and momentum backward.
  const double bytes = 5 * 4 * static_cast<double>(architecture.parameters());
  const double seconds = architecture.training_flops() * batch / 1e11 + bytes / 2e10;
  return steps * (seconds + 1e-5);
}

}  // namespace krossfold::studies
