// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos, because the host compiler alone compiles predict_json.cpp.

#include <string>
#include <vector>

#include "krossfold/model/prediction.hpp"

namespace krossfold::cli {

/// The rows of Prediction::quartile.
inline constexpr const char* quartile_names[] = {"least", "lower_quartile", "median", "upper_quartile", "greatest"};

/// The predictions for one input, or for consecutive pictures of the command line.
struct InputPrediction : model::Prediction {
  std::string input;
  std::vector<std::string> file;  ///< (sample): the file of a picture; empty for other inputs
  std::vector<int> label;         ///< (sample): true class index, -1 if unknown; empty if the input has no labels

  bool of_networks() const { return !member.empty(); }
  int compared() const;  ///< number of samples with a known label
  int wrong() const;     ///< number of samples whose label differs from the predicted class
};

/// The predictions for all inputs as a JSON document.
std::string predictions_json(const std::string& model, const std::vector<InputPrediction>& predictions);

}  // namespace krossfold::cli
