// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include "commands.hpp"
#include "krossfold/core/error.hpp"

namespace krossfold::cli {

void run_plan(const PlanParams& params, const run::StudyRegistry& registry) {
  std::vector<report::Document> plans;
  for (const std::string& name : params.files) {
    const run::ResultFile file = registry.read(name);
    for (report::Document& plan : registry.kind_of(file).plan(file, params.request)) {
      require(plans.empty() || csv_header(plan) == csv_header(plans.front()),
              "searches and trainings do not go into one plan", "their predictions have different columns",
              "Plan one after the other.");
      plans.push_back(std::move(plan));
    }
  }
  std::cout << report::render(plans, params.format);
}

}  // namespace krossfold::cli
