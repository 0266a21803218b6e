// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/study/run_study.hpp"
#include "krossfold/study/train_params.hpp"

namespace krossfold::study {

/// `krossfold train`: reads the names, trains on all ranks together, writes the result file and the model, prints the report. Returns
/// and throws as run_study().
ExitCode run_train(const Surroundings& around, const TrainParams& params, const RunParams& run);

}  // namespace krossfold::study
