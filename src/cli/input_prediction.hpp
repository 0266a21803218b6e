// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos: predict_json.cpp is compiled by the host compiler alone.

#include <string>
#include <vector>

#include "krossfold/model/prediction.hpp"

namespace krossfold::cli {

/// The rows of Prediction::quartile.
inline constexpr const char* quartile_names[] = {"least", "lower_quartile", "median", "upper_quartile", "greatest"};

/// Predictions for one input, or for pictures that follow one another on the command line.
struct InputPrediction : model::Prediction {
  std::string input;
  std::vector<std::string> file;  ///< (sample) of pictures: where it came from; else empty
  std::vector<int> label;         ///< true class index, empty where the input has no labels

  bool of_networks() const { return !member.empty(); }
  int wrong() const;  ///< samples whose label differs from the predicted class
};

/// The predictions for all inputs as a JSON document.
std::string predictions_json(const std::string& model, const std::vector<InputPrediction>& predictions);

}  // namespace krossfold::cli
