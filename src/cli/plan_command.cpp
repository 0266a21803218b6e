// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include "commands.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/study/file_report.hpp"
#include "krossfold/study/plan.hpp"
#include "krossfold/study/svm_plan.hpp"

namespace krossfold::cli {

ExitCode run_plan(const PlanParams& params) {
  std::vector<study::Plan> plans;
  for (const std::string& file : params.files) {
    const storage::Container result = storage::read_container(file);
    study::check_is_result(result, file);
    if (result.attribute("kind") != "svm") {
      throw_input_error(text("krossfold plan cannot plan ", file),
                        text("it is a study of krossfold ", result.attribute("kind")),
                        "Only searches of krossfold svm can be planned in this version.");
    }
    plans.push_back(study::make_plan(study::svm_plan_work(result, file), params.plan));
  }
  if (params.format == "json") {
    std::cout << study::plan_json(plans);
  } else if (params.format == "csv") {
    std::cout << study::plan_csv_header;
    for (const study::Plan& plan : plans) std::cout << study::plan_csv_rows(plan);
  } else {
    for (const study::Plan& plan : plans) std::cout << study::plan_text(plan);
  }
  return ExitCode::done;
}

}  // namespace krossfold::cli
