// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/data/names.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/nn/lstm_network.hpp"
#include "krossfold/nn/network.hpp"
#include "krossfold/study/mpi_exchange.hpp"
#include "krossfold/study/train_params.hpp"

namespace krossfold::study {

/// What a training works on: names for a character model, samples with labels for the others.
struct TrainTask {
  data::NameTask names;
  data::Task samples;

  bool has_names() const { return names.train.size() > 0; }
  int train_size() const { return has_names() ? names.train.size() : samples.train.size(); }
  int held_out_size() const { return has_names() ? names.held_out.size() : samples.test.size(); }
};

/// What the workers of a training exchange in a step: floats that are summed over them and that they gather, and how many sums and gathers
/// that takes; pieces of a gradient that are under way together count as one sum.
struct Exchanged {
  std::int64_t summed = 0, gathered = 0;
  int sums = 0, gathers = 0;
  double replicated =
      0;  ///< of the operations of a step, those that every worker does whole: the products of gathered factors
};

/// What a training is, once its data and ranks are known: the same on every rank.
struct TrainPlan {
  TrainParams params;  ///< with strategy, workers and all defaults as used
  Strategy strategy = Strategy::single;
  int ranks = 1;
  nn::LstmArchitecture lstm;  ///< of a character model
  nn::Architecture network;   ///< of the others
  data::Scale scale;          ///< of their samples

  bool is_lstm() const { return params.network == "lstm"; }
  /// Windows that a worker of a character model computes at a time: on processors as many as fit into the caches.
  int part() const;
  std::int64_t parameters() const { return is_lstm() ? lstm.parameters() : network.parameters(); }
  /// What the workers exchange in a step; of a single one, what several would with ddp.
  Exchanged exchanged() const;
  /// Bytes that a rank allocates for the training, without its data.
  std::uint64_t bytes() const;
  std::string describe() const;
};

/// Checks the options against data and ranks. Throws an input error that names the option.
TrainPlan plan_train(const TrainParams& params, const TrainTask& task, int ranks);

}  // namespace krossfold::study
