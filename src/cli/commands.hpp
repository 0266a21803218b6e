// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"
#include "input_prediction.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/log.hpp"

namespace krossfold::cli {

/// `krossfold predict`: applies a model to inputs and writes labels, decision values and, where the model has them, class
/// probabilities on stdout (or to -o FILE.h5).
ExitCode run_predict(const PredictParams& params, const Log& log);
void print_predictions(const PredictParams& params, const std::string& model,
                       const std::vector<InputPrediction>& predictions);

/// `krossfold sample`: names from a character model, one a line on stdout.
ExitCode run_sample(const SampleParams& params);

/// `krossfold report`: tables out of result files on stdout; warnings are part of them.
ExitCode run_report(const ReportParams& params, const run::StudyRegistry& registry);

/// `krossfold plan`: what other formations would do with the studies of result files, on stdout.
ExitCode run_plan(const PlanParams& params, const run::StudyRegistry& registry);

}  // namespace krossfold::cli
