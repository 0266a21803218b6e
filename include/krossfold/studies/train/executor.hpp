// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/run/checkpoint.hpp"
#include "krossfold/run/event_log.hpp"
#include "krossfold/studies/train/layout.hpp"
#include "krossfold/studies/train/payload.hpp"
#include "krossfold/training/trainee.hpp"

namespace krossfold::studies {

/// Trains networks on the ranks of a gang: unit {run, 0, 0} follows the layout `run`. The state of a training is stored now and
/// then (UnitCheckpoints), and a training that was stopped or killed continues with bitwise identical results. If all ranks have
/// the same weights, the first rank stores them. Split weights are stored by each rank, alternating between two files, which
/// keeps one complete checkpoint after a crash.
class TrainExecutor : public Executor {
public:
  /// Called after each epoch, on the first rank of a gang; may be empty.
  using EpochEnded = std::function<void(const UnitKey&, const run::LoggedEpoch&)>;

  /// All runs have the same data. `runs` and `task` must outlive the executor.
  TrainExecutor(const std::vector<TrainLayout>& runs, const training::TrainTask& task,
                const run::CheckpointParams& parts = {}, EpochEnded epoch_ended = {});
  std::vector<Record> run(const Unit& unit, UnitContext& context) override;

private:
  struct Run;
  void load_state(Run& run, const Unit& unit, UnitContext& context);
  void store_state(Run& run);
  void keep_epoch(Run& run, const TrainLayout& layout) const;
  void store_model(Run& run, const TrainLayout& layout, CheckpointSink& sink) const;

  const std::vector<TrainLayout>& runs_;
  const training::TrainTask& task_;
  training::TrainData data_;
  std::array<run::UnitCheckpoints, 2> parts_;
  EpochEnded epoch_ended_;
};

/// The name of the model file of run `run` of `runs`; with split weights every rank has a file of its own.
std::string model_name(const TrainLayout& layout, int run, int runs, int rank);

}  // namespace krossfold::studies
