// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/data/names.hpp"
#include "krossfold/nn/lstm_network.hpp"
#include "krossfold/study/mpi_exchange.hpp"
#include "krossfold/study/train_params.hpp"

namespace krossfold::study {

/// What a training is, once its data and ranks are known: the same on every rank.
struct TrainPlan {
  TrainParams params;  ///< with strategy and workers as used
  Strategy strategy = Strategy::single;
  int ranks = 1;
  nn::LstmArchitecture architecture;

  /// Windows that a worker computes at a time: on processors as many as fit into the caches.
  int part() const;
};

/// Checks the options against data and ranks. Throws an input error that names the option.
TrainPlan plan_train(const TrainParams& params, const data::NameTask& task, int ranks);

}  // namespace krossfold::study
