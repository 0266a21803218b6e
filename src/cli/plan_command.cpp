// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include "commands.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/study/file_report.hpp"
#include "krossfold/study/plan.hpp"
#include "krossfold/study/svm_plan.hpp"
#include "krossfold/study/train_report.hpp"
#include "krossfold/study/train_scaling.hpp"

namespace krossfold::cli {

namespace {

/// What the files hold: searches or trainings.
struct Answer {
  std::vector<study::Plan> plans;
  std::vector<study::Scaling> scalings;
};

Answer answer_of(const PlanParams& params) {
  Answer answer;
  for (const std::string& file : params.files) {
    const storage::Container result = storage::read_container(file);
    study::check_is_result(result, file);
    const std::string kind = result.attribute("kind");
    if (kind == "svm") {
      answer.plans.push_back(study::make_plan(study::svm_plan_work(result, file), params.plan));
    } else if (kind == "train" || kind == "names") {
      study::ScalingParams scaling = params.scaling;
      scaling.formations = params.plan.formations;
      scaling.deadline = params.plan.deadline;
      const auto found = study::scale_trainings(study::make_train_report(result, file), scaling);
      answer.scalings.insert(answer.scalings.end(), found.begin(), found.end());
    } else {
      throw_input_error(text("krossfold plan cannot plan ", file), text("it is a study of krossfold ", kind),
                        "Searches of krossfold svm and trainings can be planned in this version.");
    }
  }
  if (!answer.plans.empty() && (params.scaling.latency || params.scaling.bandwidth)) {
    throw_input_error("--latency and --bandwidth have no meaning for searches", "their units are computed one by one",
                      "");
  }
  if (!answer.scalings.empty() && params.plan.schedules != study::PlanParams().schedules) {
    throw_input_error("--schedule has no meaning for trainings", "all ranks take every step together", "");
  }
  if (!answer.plans.empty() && !answer.scalings.empty()) {
    throw_input_error("searches and trainings do not go into one plan", "what is predicted of them differs",
                      "Plan one after the other.");
  }
  return answer;
}

}  // namespace

ExitCode run_plan(const PlanParams& params) {
  const auto [plans, scalings] = answer_of(params);
  const bool searches = !plans.empty();
  if (params.format == "json") {
    std::cout << (searches ? study::plan_json(plans) : study::scaling_json(scalings));
  } else if (params.format == "csv") {
    std::cout << (searches ? study::plan_csv_header : study::scaling_csv_header);
    for (const study::Plan& plan : plans) std::cout << study::plan_csv_rows(plan);
    for (const study::Scaling& scaling : scalings) std::cout << study::scaling_csv_rows(scaling);
  } else {
    for (const study::Plan& plan : plans) std::cout << study::plan_text(plan);
    for (const study::Scaling& scaling : scalings) std::cout << study::scaling_text(scaling);
  }
  return ExitCode::done;
}

}  // namespace krossfold::cli
