// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include "commands.hpp"

namespace krossfold::cli {

void run_sample(const SampleParams& params) {
  for (const std::string& name : model::sample_names(params.model, params)) std::cout << name << "\n";
}

}  // namespace krossfold::cli
