// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/studies/train/names_params.hpp"
#include "krossfold/studies/train/params.hpp"
#include "krossfold/training/setup.hpp"

namespace krossfold::studies {

/// A training as determined by its options, data and ranks. It is the same on every rank.
struct TrainLayout {
  TrainParams params;  ///< with the strategy, workers and defaults that are used
  training::TrainingSetup setup;
};

/// The share of the training part that validates: 0 for "none". Throws an input error for anything but that and a number above 0
/// and up to 0.5.
double validation_share(const std::string& word);

/// Lays out a training. Throws an input error that names the option which does not suit the data or the ranks.
TrainLayout lay_out_train(const TrainParams& params, const training::TrainTask& task, int ranks);

/// Lays out a training for every combination of workers, batch and rate of a study of names. Batches are limited to the number of
/// names; combinations that become equal are listed once. Each run takes the most ranks that share its workers equally.
std::vector<TrainLayout> lay_out_names(const NamesParams& params, const training::TrainTask& task, int ranks);

}  // namespace krossfold::studies
