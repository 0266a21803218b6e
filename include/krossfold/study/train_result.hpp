// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/study/run_facts.hpp"
#include "krossfold/study/train_plan.hpp"

namespace krossfold::study {

/// One or several trainings on the same data, the runs of a study.
struct TrainRuns {
  std::string kind;  ///< of the result file: "train" or "names"
  std::vector<OptionValue> options;
  std::vector<TrainPlan> run;
};

/// The content of their result file: /run (run) and /training (run, epoch), NaN where there is nothing yet. The attribute `model` names
/// the model files of the run that has the lowest held-out loss in the end.
storage::Container make_train_result(const TrainRuns& runs, const TrainTask& task, const std::vector<Record>& records,
                                     const RunFacts& facts);

}  // namespace krossfold::study
