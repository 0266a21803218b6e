// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/params.hpp"

#include <functional>
#include <map>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/run/option_groups.hpp"
#include "krossfold/studies/train/network_kinds.hpp"

namespace krossfold::studies {

namespace {

TrainParams none_of(const std::string& network) {
  TrainParams params;
  params.network = network;
  return params;
}

/// The defaults of an option that depends on the network: "names (lstm) or digits (cnn, mlp)".
std::string by_network(const std::string& option, const std::function<std::string(const NetworkKind&)>& value) {
  std::map<std::string, std::string> networks;
  std::vector<std::string> values;
  for (const NetworkKind& kind : network_kinds()) {
    if (!kind.takes(option)) continue;
    std::string& names = networks[value(kind)];
    if (names.empty()) values.push_back(value(kind));
    names += (names.empty() ? "" : ", ") + kind.name;
  }
  std::string all;
  for (const std::string& one : values) all += (all.empty() ? "" : " or ") + one + " (" + networks[one] + ")";
  return all;
}

/// The networks that take an option, {} if all do.
std::vector<std::string> takers(const std::string& option) {
  std::vector<std::string> names;
  for (const NetworkKind& kind : network_kinds()) {
    if (kind.takes(option)) names.push_back(kind.name);
  }
  return names.size() == network_kinds().size() ? std::vector<std::string>{} : names;
}

}  // namespace

// The order of the options is that of the fingerprint.
run::OptionTable train_options(TrainParams& p) {
  run::OptionTable table;
  const auto add = [&](const std::string& name, auto& value, const char* metavar, const std::string& help,
                       int min = 0) -> run::Option& { return table.add(name, value, metavar, help, min); };
  table.begin_group(run::group::arguments);
  run::Option& network = table.add("network", p.network, "NETWORK", "what to train");
  network.is_positional = true;
  for (const NetworkKind& kind : network_kinds()) network.choices.push_back({kind.name, kind.description});
  table.begin_group(run::group::data);
  add("data", p.data, "SPEC",
      "training data; of lstm: names (built in), names:FILE (one a line) or names:FILE#COLUMN (of a CSV file), of "
      "other "
      "networks as krossfold svm takes them")
      .default_text = by_network("data", [](const NetworkKind& kind) { return kind.data; });
  add("test", p.test, "SPEC", "held-out data").default_text =
      "the test part of the data set if it has one, else what --test-part holds out; of names the last fifth";
  run::add_test_part(table, p.test_part);
  add("limit", p.limit, "N",
      "keep only N training samples, chosen as --test-part says (of lstm the first); the whole file is read "
      "nevertheless",
      1);
  run::add_column_options(table, p.table);
  table.begin_group(run::group::devices);
  run::Option& strategy = add("strategy", p.strategy, "KIND", "how ranks share the training");
  strategy.default_text = "ddp on several ranks, else single";
  strategy.choices = {{"single", "one rank trains alone"},
                      {"ddp", "each rank takes a part of the batch; they sum their gradients"},
                      {"data-parallel", "the first rank hands out batch and weights in every step"},
                      {"model-parallel", "each rank holds a part of the weights (cnn, mlp)"}};
  add("workers", p.workers, "W",
      "workers that share a batch, a multiple of the ranks; results are bitwise identical on any number of ranks", 1)
      .default_text = "the number of ranks";
  add("precision", p.precision, "KIND",
      "the numbers that matrix products multiply; sums and weights are always in single precision")
      .choices = {{"single", "24 significant bits"},
                  {"tf32", "11: faster on GPUs since the A100"},
                  {"bf16", "8: faster still there"}};
  table.begin_group(run::group::training);
  add("batch", p.batch, "N", "samples of a training step, of all workers together", 1).default_text =
      "64, or all samples if there are fewer";
  add("rate", p.rate, "R", "learning rate, of Adam for lstm, else of gradient descent").default_text =
      by_network("rate", [](const NetworkKind& kind) { return shortest(kind.rate); });
  add("momentum", p.momentum, "M", "momentum of gradient descent");
  run::add_class_weight(table, p.class_weight);
  add("validation", p.validation, "SHARE",
      "share of the training part, of each class, that is not trained on: the epoch with the fewest errors on it is "
      "kept")
      .default_text = by_network("validation", [](const NetworkKind& kind) { return kind.validation; });
  add("epochs", p.epochs, "N", "number of epochs", 1).default_text =
      "20; of lstm 15, or as many as make 1000 steps if these are more";
  run::add_stop_ratio(table, p.stop_ratio);
  table.begin_group(run::group::model);
  add("layers", p.layers, "N", "layers of LSTM cells", 1);
  add("window", p.window, "N", "letters of a window: longer names keep only their last N letters", 2);
  add("channels", p.channels, "N", "channels of the convolution", 1);
  add("kernel", p.kernel, "N", "side of the convolution's kernels", 1);
  add("hidden", p.hidden, "LIST", "units of the hidden dense layers, separated by commas; of lstm cells of a layer", 1)
      .default_text = by_network("hidden", [](const NetworkKind& kind) { return run::value_of(kind.hidden); });
  add("activation", p.activation, "KIND", "activation of the hidden dense layers").choices = {
      {"relu"}, {"tanh"}, {"sigmoid"}};
  run::Option& dropout = add("dropout", p.dropout, "P", "probability of dropping an output between layers");
  dropout.default_text = by_network("dropout", [](const NetworkKind& kind) { return shortest(kind.dropout); });
  dropout.group = run::group::training;
  run::add_scale(table, p.scale);
  table.begin_group(run::group::folds);
  add("seed", p.seed, "S", "seed of all random streams").default_text = text(p.seed);
  for (run::Option& option : table.options()) {
    if (!option.is_positional) option.only_of = takers(option.name);
  }
  return table;
}

TrainParams with_defaults(TrainParams params) {
  const NetworkKind& kind = network_kind(params.network);
  if (!params.data) params.data = kind.data;
  if (!params.rate) params.rate = kind.rate;
  if (!params.dropout) params.dropout = kind.dropout;
  if (!params.hidden) params.hidden = kind.hidden;
  if (!params.validation) params.validation = kind.validation;
  return params;
}

std::vector<run::OptionValue> options_of(const TrainParams& params) {
  auto options =
      run::values_of<TrainParams>(with_defaults(params), train_options, with_defaults(none_of(params.network)));
  const NetworkKind& kind = network_kind(params.network);
  std::erase_if(options, [&](const run::OptionValue& option) { return !kind.takes(option.name); });
  return options;
}

void check_taken(const TrainParams& params, const std::set<std::string>& given) {
  const NetworkKind& kind = network_kind(params.network);
  for (const run::OptionValue& option : run::values_of<TrainParams>(params, train_options, none_of(kind.name))) {
    const bool set = !option.is_default || given.contains(option.name);
    if (set && !kind.takes(option.name) && option.name != "network") {
      throw_input_error(text("--", option.name, " has no meaning for ", kind.name), "",
                        "See docs/training.md for the options of each network.");
    }
  }
}

}  // namespace krossfold::studies
