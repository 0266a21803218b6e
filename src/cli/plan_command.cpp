// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include "commands.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::cli {

ExitCode run_plan(const PlanParams& params, const run::StudyRegistry& registry) {
  std::vector<report::Document> plans;
  std::string tables;  // the header of their CSV form: what is predicted of searches and of trainings differs
  for (const std::string& name : params.files) {
    const run::ResultFile file = registry.read(name);
    for (report::Document& plan : registry.kind_of(file).plan(file, params.request)) {
      const std::string csv = report::to_csv({plan}), header = csv.substr(0, csv.find('\n'));
      require(tables.empty() || tables == header, "searches and trainings do not go into one plan",
              "what is predicted of them differs", "Plan one after the other.");
      tables = header;
      plans.push_back(std::move(plan));
    }
  }
  std::cout << report::render(plans, params.format);
  return ExitCode::done;
}

}  // namespace krossfold::cli
