// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/run/run_facts.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/studies/train/layout.hpp"

namespace krossfold::studies {

/// One or several trainings on the same data, the runs of a study.
struct TrainRuns {
  std::string kind;  ///< of the result file: "train" or "names"
  std::vector<run::OptionValue> options;
  std::vector<TrainLayout> run;
};

/// The content of their result file: /run (run) and /training (run, epoch), NaN where there is nothing yet. The attribute `model` names
/// the model files of the run that has the lowest held-out loss in the end.
storage::Container make_train_result(const TrainRuns& runs, const training::TrainTask& task,
                                     const std::vector<Record>& records, const run::RunFacts& facts);

}  // namespace krossfold::studies
