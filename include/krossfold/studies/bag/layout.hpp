// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/random.hpp"
#include "krossfold/core/unit.hpp"
#include "krossfold/data/bootstrap.hpp"
#include "krossfold/data/class_weight.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/data/folds.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/nn/architecture.hpp"
#include "krossfold/studies/bag/params.hpp"

namespace krossfold::studies {

/// The hyperparameters of a trial of the random search.
struct Trial {
  int channels = 0, kernel = 0, hidden = 0;
  double rate = 0, momentum = 0;
};

/// A bagging study whose data is known; the same on every rank.
struct BagLayout {
  BagParams params;
  run::WholeRange channels, kernel, hidden;  ///< given or default
  data::FoldSplit folds;
  data::Scale scale;
  data::ClassWeights class_weights;
  data::ImageShape image;
  int samples = 0, classes = 0, test_samples = 0;
  bool folds_together = false;  ///< on accelerators: the folds of a trial are one unit and train side by side

  nn::Architecture architecture(const Trial& trial) const;
  /// Samples that a network has room for: those of a step, and more for predictions.
  int room() const { return params.batch > 64 ? params.batch : 64; }
  /// The place of a fold in an array (bootstrap, trial, fold), and the size of such an array.
  std::size_t unit(int bootstrap, int trial, int fold) const {
    return (static_cast<std::size_t>(bootstrap) * params.trials + trial) * folds.folds() + fold;
  }
  std::size_t units() const { return unit(params.bootstraps, 0, 0); }
};

/// Checks the options against the data and lays out the study. Throws an input error that names an invalid option.
BagLayout lay_out_bag(const BagParams& params, const data::Task& task);

/// Trial `trial` of a bootstrap: channels, kernel and hidden units uniform in their ranges, rate and momentum 10^x with
/// x uniform (Bergstra and Bengio, JMLR 13 (2012) 281), from draws 0 ... 4 of stream {seed, random_purpose_trial,
/// bootstrap, 0, trial}.
Trial draw_trial(const BagLayout& search, int bootstrap, int trial);

/// The stream of a unit {bootstrap, trial, fold} for a purpose. Fold 0 of the stream is that of the final fit; fold f
/// of a trial has f + 1.
StreamId stream_of(const BagLayout& search, RandomPurpose purpose, const UnitKey& key);

/// Bytes that the training of this network takes, on processors with those of its state as it is stored in checkpoints.
std::uint64_t training_bytes(const BagLayout& search, const nn::Architecture& architecture);

/// The cost of training this network for an epoch on `samples` samples, in seconds of a core that does 1e11 operations
/// and moves 2e10 bytes a second. A first guess, which measured times correct.
double training_cost(const nn::Architecture& architecture, int batch, int samples);

}  // namespace krossfold::studies
