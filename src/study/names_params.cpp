// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/names_params.hpp"

#include "krossfold/core/text.hpp"
#include "krossfold/study/train_params.hpp"
#include "option_values.hpp"

namespace krossfold::study {

namespace {

std::string list_of_numbers(const std::vector<double>& values) {
  std::string all;
  for (const double value : values) all += text(all.empty() ? "" : ",", shortest(value));
  return all;
}

}  // namespace

std::vector<OptionValue> options_of(const NamesParams& params) {
  const NamesParams defaults;
  OptionValues options;
  options.add("data", params.data, defaults.data);
  options.add("limit", params.limit, defaults.limit);
  options.add("workers", list_text(params.workers), list_text(defaults.workers));
  options.add("batch-per-worker", list_text(params.batch_per_worker), list_text(defaults.batch_per_worker));
  options.add("rate", list_of_numbers(params.rate), list_of_numbers(defaults.rate));
  options.add("epochs", params.epochs, defaults.epochs);
  options.add("layers", params.layers, defaults.layers);
  options.add("hidden", params.hidden, defaults.hidden);
  options.add("window", params.window, defaults.window);
  options.add("dropout", params.dropout, defaults.dropout);
  options.add("seed", params.seed, defaults.seed);
  return options.all;
}

}  // namespace krossfold::study
