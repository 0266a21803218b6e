// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/svm_params.hpp"

#include "krossfold/core/text.hpp"

namespace krossfold::study {

namespace {

std::string value_of(const std::string& value) { return value; }
std::string value_of(bool value) { return value ? "true" : "false"; }
std::string value_of(double value) { return shortest(value); }
std::string value_of(int value) { return std::to_string(value); }
std::string value_of(std::int64_t value) { return std::to_string(value); }
std::string value_of(std::uint64_t value) { return std::to_string(value); }
std::string value_of(const Range& range) { return shortest(range.low) + ":" + shortest(range.high); }
std::string value_of(const std::optional<Range>& range) { return range ? value_of(*range) : "auto"; }

}  // namespace

std::vector<OptionValue> options_of(const SvmParams& params) {
  const SvmParams defaults;
  std::vector<OptionValue> options;
  const auto add = [&](const std::string& name, const auto& value, const auto& standard) {
    options.push_back({name, value_of(value), value_of(value) == value_of(standard)});
  };
  add("data", params.data, defaults.data);
  add("test", params.test, defaults.test);
  add("limit", params.limit, defaults.limit);
  add("grid", text(params.grid_c, "x", params.grid_gamma), text(defaults.grid_c, "x", defaults.grid_gamma));
  add("log10-c", params.log10_c, defaults.log10_c);
  add("log10-gamma", params.log10_gamma, defaults.log10_gamma);
  add("folds", params.folds, defaults.folds);
  add("fold-kind", params.fold_kind, defaults.fold_kind);
  add("seed", params.seed, defaults.seed);
  add("scale", params.scale, defaults.scale);
  add("multiclass", params.multiclass, defaults.multiclass);
  add("tolerance", params.tolerance, defaults.tolerance);
  add("max-iterations", params.max_iterations, defaults.max_iterations);
  add("refit", params.refit, defaults.refit);
  add("probability", params.probability, defaults.probability);
  add("refine", params.refine, defaults.refine);
  return options;
}

std::string fingerprint_text(const std::vector<OptionValue>& options) {
  std::string lines;
  for (const OptionValue& option : options) {
    if (option.name != "data" && option.name != "test") lines += option.name + " = " + option.value + "\n";
  }
  return lines;
}

}  // namespace krossfold::study
