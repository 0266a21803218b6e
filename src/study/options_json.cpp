// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/study/svm_params.hpp"

namespace krossfold::study {

std::string to_json(const std::vector<OptionValue>& options) {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  for (const OptionValue& option : options) {
    all[option.name] = {{"value", option.value}, {"default", option.is_default}};
  }
  return all.dump();
}

std::vector<OptionValue> options_from_json(const std::string& json, const std::string& name) {
  std::vector<OptionValue> options;
  try {
    const auto all = nlohmann::ordered_json::parse(json);
    for (const auto& [option, content] : all.items()) {
      options.push_back({option, content.at("value").get<std::string>(), content.at("default").get<bool>()});
    }
  } catch (const nlohmann::json::exception& error) {
    throw_input_error(text("the options in ", name, " cannot be read"), error.what());
  }
  if (options.empty()) throw_input_error(text("the options in ", name, " cannot be read"), "there are none");
  return options;
}

}  // namespace krossfold::study
