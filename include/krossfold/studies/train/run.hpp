// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

#include "krossfold/run/run_study.hpp"
#include "krossfold/studies/train/load_task.hpp"
#include "krossfold/studies/train/params.hpp"
#include "krossfold/studies/train/result.hpp"

namespace krossfold::studies {

/// `krossfold train`: reads the data, trains on all ranks together, writes the result file and the model, prints the report. Returns
/// and throws as run_study().
ExitCode run_train(const run::RunContext& context, const TrainParams& params, const run::RunParams& run);

/// Computes all runs, those of the fewest ranks first, as run_study() does; prints them instead for a dry run.
ExitCode run_trainings(const run::RunContext& context, const run::RunParams& run,
                       std::chrono::steady_clock::time_point began, const TrainRuns& runs, const LoadedTask& loaded);

}  // namespace krossfold::studies
