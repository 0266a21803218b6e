// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos: what writes JSON includes it.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace krossfold::model {

/// The entropy of the mean probability, in nats, above which a sample counts as out of distribution.
struct OodThreshold {
  double entropy = 0;
  std::string source;  ///< which samples it was chosen from
};

/// What a model predicts for the samples of a data set.
struct Prediction {
  std::vector<std::string> class_name;
  std::vector<int> predicted;              ///< (sample): class; of several networks the one with the most votes
  std::vector<std::string> decision_name;  ///< (problem) of an SVM: what its decision values speak for
  std::vector<double> decision;            ///< (sample, problem)
  std::vector<double> probability;  ///< (sample, class), of networks their mean; empty if the SVM is not calibrated

  // Empty for an SVM:
  std::vector<std::string> member;        ///< (network): its file's name
  std::vector<float> member_probability;  ///< (network, sample, class)
  std::vector<int> votes;                 ///< (sample, class): networks that hold the class most probable
  std::vector<double> quartile;           ///< (see ensemble::Quartile; sample, class) of the networks' probabilities
  std::vector<double> entropy, mutual_information, confidence;  ///< (sample), see ensemble/uncertainty.hpp
  std::optional<OodThreshold> threshold;

  bool out_of_distribution(std::size_t sample) const { return threshold && entropy[sample] > threshold->entropy; }
};

}  // namespace krossfold::model
