// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "krossfold/study/svm_params.hpp"

namespace krossfold::study {

std::string to_json(const std::vector<OptionValue>& options) {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  for (const OptionValue& option : options) {
    all[option.name] = {{"value", option.value}, {"default", option.is_default}};
  }
  return all.dump();
}

}  // namespace krossfold::study
