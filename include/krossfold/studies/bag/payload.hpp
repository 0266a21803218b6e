// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"

namespace krossfold::studies {

/// Kinds of units of a bagging study, with their indices. Values are part of the journal: never renumber them.
inline constexpr std::uint32_t bag_unit_trial = 1;  ///< {bootstrap, trial, fold}: training without a fold, validation
inline constexpr std::uint32_t bag_unit_final = 2;  ///< {bootstrap, chosen trial, 0}: training on all draws, test

/// The folds that a unit of a trial computes, each with a record of its own: the fold of its key, or those that its
/// input names in ascending order. The last of these is the key's, so that a unit counts as not done if some of its
/// records were lost.
std::vector<int> folds_of(const Unit& unit);
std::vector<std::byte> input_of_folds(const std::vector<int>& folds);

/// The outcome of a training.
struct TrainingSummary {
  std::vector<double> epoch_loss;
  bool diverged = false;
  std::string reason;  ///< why it counts as diverged
};

/// The payload of a trial's fold.
struct TrialResult {
  TrainingSummary training;
  int held = 0, wrong = 0;  ///< held-out draws, and how many of them were misclassified; all if it diverged

  double error() const { return static_cast<double>(wrong) / held; }
  std::vector<std::byte> to_bytes() const;
  static TrialResult from_bytes(std::span<const std::byte> bytes);
};

/// The payload of a final fit.
struct FinalResult {
  TrainingSummary training;
  int out_of_bag = 0;                  ///< training samples that were never drawn
  int out_of_bag_wrong = 0;            ///< how many of them were misclassified
  std::vector<float> probability;      ///< (test sample, class); empty if it diverged
  std::vector<float> ood_probability;  ///< the same for the images out of distribution
  std::string model_name;
  std::uint64_t model_size = 0, model_checksum = 0;

  std::vector<std::byte> to_bytes() const;
  static FinalResult from_bytes(std::span<const std::byte> bytes);
};

}  // namespace krossfold::studies
