// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "krossfold/data/class_weight.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/input/names.hpp"
#include "krossfold/nn/architecture.hpp"
#include "krossfold/nn/lstm_network.hpp"
#include "krossfold/nn/training.hpp"
#include "krossfold/training/mpi_exchange.hpp"

namespace krossfold::training {

/// The data of a training: names for a character model, labelled samples for the other networks.
struct TrainTask {
  input::NameTask names;
  data::Task samples;
  data::Dataset validation{};  ///< samples by which the best epoch is chosen; empty to keep the last

  bool has_names() const { return names.train.size() > 0; }
  int train_size() const { return has_names() ? names.train.size() : samples.train.size(); }
  bool validates() const { return validation.size() > 0; }
  int held_out_size() const { return has_names() ? names.held_out.size() : samples.test.size(); }
};

/// The exchange of a training's workers per step, in floats. The pieces of a gradient, which are in flight together, count as one
/// sum.
struct Exchanged {
  std::int64_t summed = 0, gathered = 0;
  int sums = 0, gathers = 0;
  double replicated = 0;  ///< share of the operations that every worker repeats: products of gathered factors
};

/// One training: the network, its hyperparameters and the ranks that share it. Identical on every rank.
struct TrainingSetup {
  Strategy strategy = Strategy::single;
  int workers = 1, ranks = 1;
  std::variant<nn::LstmArchitecture, nn::Architecture> architecture;
  data::Scale scale;                 ///< of the samples; unused by a character model
  data::ClassWeights class_weights;  ///< unused by a character model
  nn::TrainingParams training;
  kernels::Precision precision = kernels::Precision::single;  ///< of matrix products
  std::uint64_t seed = 0;
  bool keeps_best = false;  ///< a copy of the weights of the best epoch is kept

  bool is_lstm() const { return std::holds_alternative<nn::LstmArchitecture>(architecture); }
  const nn::LstmArchitecture& lstm() const { return std::get<nn::LstmArchitecture>(architecture); }
  const nn::Architecture& network() const { return std::get<nn::Architecture>(architecture); }
  /// True if each worker has a part of the weights and computes all samples of a batch.
  bool splits_weights() const { return strategy == Strategy::model_parallel; }
  /// Samples of a batch that one worker computes, rounded up.
  int share() const { return splits_weights() ? training.batch : (training.batch + workers - 1) / workers; }
  /// Windows that a worker of a character model computes at a time; on CPUs as many as fit into the caches.
  int windows_at_once() const;
  std::int64_t parameters() const;
  /// The exchange per step; for a single worker that of several workers with ddp.
  Exchanged exchanged() const;
  /// Bytes that a rank allocates for the training, excluding its data.
  std::uint64_t bytes() const;
  /// Of the state of a training on one rank.
  std::uint64_t state_bytes() const;
  std::string describe() const;
};

}  // namespace krossfold::training
