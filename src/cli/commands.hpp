// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/log.hpp"

namespace krossfold::cli {

/// The rows of Doubt::quartile.
inline constexpr const char* quartile_names[] = {"least", "lower_quartile", "median", "upper_quartile", "greatest"};

/// What the networks of an ensemble add to a prediction; no members where a machine was asked.
struct Doubt {
  int members = 0;
  std::vector<std::string> member_name;
  std::vector<float> member_probability;            ///< (network, sample, class)
  std::vector<int> votes;                           ///< (sample, class)
  std::vector<double> quartile;                     ///< (least, three quartiles, greatest; sample, class)
  std::vector<double> entropy, mutual_information;  ///< (sample), in nats
  bool has_threshold = false;
  double threshold = 0;  ///< of the entropy: above it a sample is unlike the training images
  std::string threshold_source;

  bool strange(std::size_t sample) const { return entropy[sample] > threshold; }
};

/// Predictions for one input.
struct Prediction {
  std::string input;
  std::vector<std::string> file;  ///< (sample) of pictures: where it came from; else empty
  std::vector<std::string> class_name;
  std::vector<int> predicted;              ///< class index of each sample
  std::vector<int> label;                  ///< true class index, empty where the input has no labels
  std::vector<std::string> decision_name;  ///< what each decision value speaks for
  std::vector<double> decision;            ///< (sample, decision value)
  std::vector<double> probability;         ///< (sample, class); empty where the model has none; of an ensemble the mean
  Doubt doubt;
};

/// `krossfold predict`: applies a model to inputs and writes labels, decision values and, where the model has them, class
/// probabilities on stdout (or to -o FILE.h5).
ExitCode run_predict(const PredictParams& params, const Log& log);
void print_predictions(const PredictParams& params, const std::string& model,
                       const std::vector<Prediction>& predictions);
std::string predictions_json(const std::string& model, const std::vector<Prediction>& predictions);

/// `krossfold sample`: names from a character model, one a line on stdout.
ExitCode run_sample(const SampleParams& params);

/// `krossfold report`: tables out of result files on stdout; warnings are part of them.
ExitCode run_report(const ReportParams& params);

/// `krossfold plan`: what other formations would do with the studies of result files, on stdout.
ExitCode run_plan(const PlanParams& params);

}  // namespace krossfold::cli
