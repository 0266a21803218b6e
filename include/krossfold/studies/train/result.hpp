// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/run/attributes.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/studies/train/layout.hpp"

namespace krossfold::studies {

/// What the result file says of trainings with these options.
run::StudyFacts facts_of(const std::vector<run::OptionValue>& options, const std::vector<TrainLayout>& runs,
                         const training::TrainTask& task);

/// Appends the fields of the result file of trainings on the same data: /run (run) and /training (run, epoch), NaN where there is nothing
/// yet. The attribute `model` names the model files of the run that has the lowest held-out loss in the end.
void write_train_result(const std::vector<TrainLayout>& runs, const training::TrainTask& task,
                        const std::vector<Record>& records, storage::Container& content);

}  // namespace krossfold::studies
