// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/svm_params.hpp"

#include "krossfold/core/text.hpp"
#include "option_values.hpp"

namespace krossfold::study {

std::vector<OptionValue> options_of(const SvmParams& params) {
  const SvmParams defaults;
  OptionValues options;
  options.add("data", params.data, defaults.data);
  options.add("test", params.test, defaults.test);
  options.add("limit", params.limit, defaults.limit);
  options.add("grid", text(params.grid_c, "x", params.grid_gamma), text(defaults.grid_c, "x", defaults.grid_gamma));
  options.add("log10-c", params.log10_c, defaults.log10_c);
  options.add("log10-gamma", params.log10_gamma, defaults.log10_gamma);
  options.add("folds", params.folds, defaults.folds);
  options.add("fold-kind", params.fold_kind, defaults.fold_kind);
  options.add("seed", params.seed, defaults.seed);
  options.add("scale", params.scale, defaults.scale);
  options.add("multiclass", params.multiclass, defaults.multiclass);
  options.add("tolerance", params.tolerance, defaults.tolerance);
  options.add("max-iterations", params.max_iterations, defaults.max_iterations);
  options.add("refit", params.refit, defaults.refit);
  options.add("probability", params.probability, defaults.probability);
  options.add("refine", params.refine, defaults.refine);
  return options.all;
}

std::string fingerprint_text(const std::vector<OptionValue>& options) {
  std::string lines;
  for (const OptionValue& option : options) {
    if (option.name != "data" && option.name != "test") lines += option.name + " = " + option.value + "\n";
  }
  return lines;
}

}  // namespace krossfold::study
