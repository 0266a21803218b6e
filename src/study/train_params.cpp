// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/train_params.hpp"

#include "option_values.hpp"

namespace krossfold::study {

std::vector<OptionValue> options_of(const TrainParams& params) {
  const TrainParams defaults;
  OptionValues options;
  options.add("data", params.data, defaults.data);
  options.add("limit", params.limit, defaults.limit);
  options.add("strategy", params.strategy, defaults.strategy);
  options.add("workers", params.workers, defaults.workers);
  options.add("batch", params.batch, defaults.batch);
  options.add("rate", params.rate, defaults.rate);
  options.add("epochs", params.epochs, defaults.epochs);
  options.add("layers", params.layers, defaults.layers);
  options.add("hidden", params.hidden, defaults.hidden);
  options.add("window", params.window, defaults.window);
  options.add("dropout", params.dropout, defaults.dropout);
  options.add("seed", params.seed, defaults.seed);
  return options.all;
}

}  // namespace krossfold::study
