// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/core/random.hpp"
#include "krossfold/core/unit.hpp"
#include "krossfold/data/bootstrap.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/data/folds.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/nn/architecture.hpp"
#include "krossfold/studies/bag/params.hpp"

namespace krossfold::studies {

/// What a trial of the random search tries.
struct Trial {
  int channels = 0, kernel = 0, hidden = 0;
  double rate = 0, momentum = 0;
};

/// What a bagging study is, once its data is known: the same on every rank.
struct BagLayout {
  BagParams params;
  run::WholeRange kernel;  ///< as used
  data::FoldSplit folds;
  data::Scale scale;
  data::ImageShape image;
  int samples = 0, classes = 0, test_samples = 0;
  bool folds_together = false;  ///< the folds of a trial are one unit, whose networks train side by side: accelerators

  nn::Architecture architecture(const Trial& trial) const;
  /// Samples that a network has room for: those of a step, and more to be asked about at once.
  int room() const { return params.batch > 64 ? params.batch : 64; }
};

/// Checks the options against the data and lays out the study. Throws an input error that names the option.
BagLayout lay_out_bag(const BagParams& params, const data::Task& task);

/// Trial `trial` of a bootstrap: channels, kernel and hidden units uniform in their ranges, rate and momentum 10^x with x uniform
/// (Bergstra and Bengio, JMLR 13 (2012) 281), from draws 0 ... 4 of stream {seed, random_purpose_trial, bootstrap, 0, trial}.
Trial draw_trial(const BagLayout& search, int bootstrap, int trial);

/// The stream of a unit {bootstrap, trial, fold} for a purpose: fold 0 is that of the final fit, fold f of a trial has f + 1.
StreamId stream_of(const BagLayout& search, RandomPurpose purpose, const UnitKey& key);

/// Bytes that training this network takes: its own, and on processors those of its state when it is stored.
std::uint64_t training_bytes(const BagLayout& search, const nn::Architecture& architecture);

/// The cost of training this network for an epoch on `samples` samples, in seconds of a core that does 1e11 operations and moves
/// 2e10 bytes a second. Only a first guess: measured times correct it.
double training_cost(const nn::Architecture& architecture, int batch, int samples);

}  // namespace krossfold::studies
