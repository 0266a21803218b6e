// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/bag_params.hpp"

#include "krossfold/core/text.hpp"
#include "option_values.hpp"

namespace krossfold::study {

std::vector<OptionValue> options_of(const BagParams& params) {
  const BagParams defaults;
  OptionValues options;
  options.add("data", params.data, defaults.data);
  options.add("test", params.test, defaults.test);
  options.add("limit", params.limit, defaults.limit);
  options.add("bootstraps", params.bootstraps, defaults.bootstraps);
  options.add("trials", params.trials, defaults.trials);
  options.add("folds", params.folds, defaults.folds);
  options.add("fold-kind", params.fold_kind, defaults.fold_kind);
  options.add("seed", params.seed, defaults.seed);
  options.add("scale", params.scale, defaults.scale);
  options.add("batch", params.batch, defaults.batch);
  options.add("epochs", params.epochs, defaults.epochs);
  options.add("stop-ratio", params.stop_ratio, defaults.stop_ratio);
  options.add("channels", params.channels, defaults.channels);
  options.add("kernel", params.kernel, defaults.kernel);
  options.add("hidden", params.hidden, defaults.hidden);
  options.add("log10-rate", params.log10_rate, defaults.log10_rate);
  options.add("log10-momentum", params.log10_momentum, defaults.log10_momentum);
  options.add("ood", params.ood, defaults.ood);
  options.add("prune", params.prune, defaults.prune);
  return options.all;
}

}  // namespace krossfold::study
