// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/train_params.hpp"

#include <algorithm>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "option_values.hpp"

namespace krossfold::study {

namespace {

/// Which networks take an option: those whose first letters are in `of`.
bool takes(const std::string& network, const std::string& of) { return of.find(network.front()) != std::string::npos; }

/// Calls add(name, networks, value of) for every option.
template <class Add>
void for_each_option(const Add& add) {
  add("data", "lcm", [](const TrainParams& p) { return value_of(p.data); });
  add("test", "cm", [](const TrainParams& p) { return p.test; });
  add("limit", "lcm", [](const TrainParams& p) { return value_of(p.limit); });
  add("strategy", "lcm", [](const TrainParams& p) { return p.strategy; });
  add("workers", "lcm", [](const TrainParams& p) { return value_of(p.workers); });
  add("batch", "lcm", [](const TrainParams& p) { return value_of(p.batch); });
  add("rate", "lcm", [](const TrainParams& p) { return value_of(p.rate); });
  add("momentum", "cm", [](const TrainParams& p) { return value_of(p.momentum); });
  add("epochs", "lcm", [](const TrainParams& p) { return value_of(p.epochs); });
  add("stop-ratio", "cm", [](const TrainParams& p) { return value_of(p.stop_ratio); });
  add("layers", "l", [](const TrainParams& p) { return value_of(p.layers); });
  add("window", "l", [](const TrainParams& p) { return value_of(p.window); });
  add("channels", "c", [](const TrainParams& p) { return value_of(p.channels); });
  add("kernel", "c", [](const TrainParams& p) { return value_of(p.kernel); });
  add("hidden", "lcm", [](const TrainParams& p) { return p.hidden ? list_text(*p.hidden) : "auto"; });
  add("activation", "cm", [](const TrainParams& p) { return p.activation; });
  add("dropout", "lcm", [](const TrainParams& p) { return value_of(p.dropout); });
  add("scale", "cm", [](const TrainParams& p) { return p.scale; });
  add("seed", "lcm", [](const TrainParams& p) { return value_of(p.seed); });
}

TrainParams none_of(const std::string& network) {
  TrainParams params;
  params.network = network;
  return params;
}

}  // namespace

std::string list_text(const std::vector<int>& values) {
  std::string all;
  for (const int value : values) all += text(all.empty() ? "" : ",", value);
  return all;
}

TrainParams with_defaults(TrainParams params) {
  const bool lstm = params.network == "lstm";
  if (!params.data) params.data = lstm ? "names" : "digits";
  if (!params.rate) params.rate = lstm ? 1e-3 : 0.01;
  if (!params.dropout) params.dropout = lstm ? 0.1 : 0.0;
  if (!params.hidden) {
    params.hidden = params.network == "mlp" ? std::vector<int>{512, 256} : std::vector<int>{128};
  }
  return params;
}

std::vector<OptionValue> options_of(const TrainParams& params) {
  const TrainParams used = with_defaults(params), defaults = with_defaults(none_of(params.network));
  OptionValues options;
  for_each_option([&](const std::string& name, const std::string& of, const auto& value) {
    if (takes(params.network, of)) options.add(name, std::string(value(used)), std::string(value(defaults)));
  });
  return options.all;
}

void check_taken(const TrainParams& params, const std::set<std::string>& given) {
  const std::vector<std::string> networks = {"lstm", "cnn", "mlp"};
  if (params.network.empty()) {
    throw_input_error("krossfold train needs to know what to train", "it trains lstm, cnn and mlp",
                      "For example: krossfold train cnn -o digits.h5");
  }
  if (std::find(networks.begin(), networks.end(), params.network) == networks.end()) {
    const std::string near = nearest_word(params.network, networks);
    throw_input_error(text("unknown network '", params.network, "'"), "it trains lstm, cnn and mlp",
                      near.empty() ? "" : text("Did you mean ", near, "?"));
  }
  const TrainParams none = none_of(params.network);
  for_each_option([&](const std::string& name, const std::string& of, const auto& value) {
    if (!takes(params.network, of) && (value(params) != value(none) || given.contains(name))) {
      throw_input_error(text("--", name, " has no meaning for krossfold train ", params.network), "",
                        "See docs/training.md for what each network takes.");
    }
  });
}

}  // namespace krossfold::study
