// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/data/names.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/study/run_facts.hpp"
#include "krossfold/study/train_plan.hpp"

namespace krossfold::study {

/// The content of a training's result file: /run (run) and /training (run, epoch), NaN where there is nothing yet.
storage::Container make_train_result(const TrainPlan& plan, const data::NameTask& task,
                                     const std::vector<Record>& records, const RunFacts& facts);

}  // namespace krossfold::study
