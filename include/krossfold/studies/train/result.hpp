// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/run/attributes.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/studies/train/layout.hpp"

namespace krossfold::studies {

/// The attributes of a result file of trainings with these options.
run::StudyFacts facts_of(const std::vector<run::OptionValue>& options, const std::vector<TrainLayout>& runs,
                         const training::TrainTask& task);

/// Appends the fields of the result file of trainings on the same data: /run (run) and /training (run, epoch), with NaN for epochs
/// still to come. The attribute `model` names the model files of the run with the lowest final held-out loss.
void write_train_result(const std::vector<TrainLayout>& runs, const training::TrainTask& task,
                        const std::vector<Record>& records, storage::Container& content);

}  // namespace krossfold::studies
