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

/// Trains a network on the ranks of a gang: unit {run, 0, 0} by plan `run`. What it has reached is kept (UnitCheckpoints), and a training
/// that was stopped or killed goes on with the same bits. Where all ranks have the same weights, the first one keeps them. Where they are
/// split, each rank keeps its own, in turn under two names: a crash amid that leaves a whole set.
class TrainExecutor : public Executor {
public:
  /// Called after each epoch on the first rank of a gang; may be empty.
  using EpochEnded = std::function<void(const UnitKey&, const run::LoggedEpoch&)>;

  /// All runs have the same data; everything must outlive it.
  TrainExecutor(const std::vector<TrainLayout>& runs, const training::TrainTask& task,
                const run::CheckpointParams& parts = {}, EpochEnded epoch_ended = {});
  std::vector<Record> run(const Unit& unit, UnitContext& context) override;

private:
  struct Run;
  void load(Run& run, const Unit& unit, UnitContext& context);
  void keep(Run& run);
  void store_model(Run& run, const TrainLayout& plan, CheckpointSink& sink) const;

  const std::vector<TrainLayout>& runs_;
  const training::TrainTask& task_;
  training::TrainData data_;
  std::array<run::UnitCheckpoints, 2> parts_;
  EpochEnded epoch_ended_;
};

/// The names of the model files of run `run` of `runs`, of one rank or of each with a part.
std::string model_name(const TrainLayout& plan, int run, int runs, int rank);

}  // namespace krossfold::studies
