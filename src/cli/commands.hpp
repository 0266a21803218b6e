// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/log.hpp"

namespace krossfold::cli {

/// Predictions for one input.
struct Prediction {
  std::string input;
  std::vector<std::string> file;  ///< (sample) of pictures: where it came from; else empty
  std::vector<std::string> class_name;
  std::vector<int> predicted;              ///< class index of each sample
  std::vector<int> label;                  ///< true class index, empty where the input has no labels
  std::vector<std::string> decision_name;  ///< what each decision value speaks for
  std::vector<double> decision;            ///< (sample, decision value)
  std::vector<double> probability;         ///< (sample, class); empty where the model has none
};

/// `krossfold predict`: applies a model to inputs and writes labels, decision values and, where the model has them, class
/// probabilities on stdout (or to -o FILE.h5).
ExitCode run_predict(const PredictParams& params, const Log& log);
std::string predictions_json(const std::string& model, const std::vector<Prediction>& predictions);

/// `krossfold report`: tables out of result files on stdout; warnings are part of them.
ExitCode run_report(const ReportParams& params);

/// `krossfold plan`: what other formations would do with the studies of result files, on stdout.
ExitCode run_plan(const PlanParams& params);

}  // namespace krossfold::cli
