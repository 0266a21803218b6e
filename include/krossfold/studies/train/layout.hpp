// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/studies/train/names_params.hpp"
#include "krossfold/studies/train/params.hpp"
#include "krossfold/training/setup.hpp"

namespace krossfold::studies {

/// A training as its options, data and ranks determine it: the same on every rank.
struct TrainLayout {
  TrainParams params;  ///< with strategy, workers and all defaults as used
  training::TrainingSetup setup;
};

/// Checks the options against data and ranks. Throws an input error that names the option.
TrainLayout lay_out_train(const TrainParams& params, const training::TrainTask& task, int ranks);

/// The same for every combination of workers, batch and rate of a study of names. Batches are cut to the number of names;
/// combinations that become equal are planned once. Each run takes as many of the ranks as can share its workers equally.
std::vector<TrainLayout> lay_out_names(const NamesParams& params, const training::TrainTask& task, int ranks);

}  // namespace krossfold::studies
