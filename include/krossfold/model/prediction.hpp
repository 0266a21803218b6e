// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos, because sources that write JSON include it.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace krossfold::model {

/// The entropy of the mean probability, in nats, above which a sample counts as out of distribution.
struct OodThreshold {
  double entropy = 0;
  std::string source;  ///< the samples it was chosen from
};

/// The prediction of a model for the samples of a data set.
struct Prediction {
  std::vector<std::string> class_name;
  std::vector<int> predicted;              ///< (sample): class; for several networks the one with the most votes
  std::vector<std::string> decision_name;  ///< (problem): name of a binary problem of an SVM
  std::vector<double> decision;            ///< (sample, problem)
  std::vector<double> probability;         ///< (sample, class), mean over networks; empty for an uncalibrated SVM

  // Empty for an SVM:
  std::vector<std::string> member;        ///< (network): name of its file
  std::vector<float> member_probability;  ///< (network, sample, class)
  std::vector<int> votes;                 ///< (sample, class): networks for which the class is the most probable
  std::vector<double> quartile;           ///< (ensemble::Quartile, sample, class) of the networks' probabilities
  std::vector<double> entropy, mutual_information, confidence;  ///< (sample), see ensemble/uncertainty.hpp
  std::optional<OodThreshold> threshold;

  bool out_of_distribution(std::size_t sample) const { return threshold && entropy[sample] > threshold->entropy; }
};

}  // namespace krossfold::model
