// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "krossfold/data/names.hpp"
#include "krossfold/parallel/gang.hpp"
#include "krossfold/study/train_plan.hpp"
#include "krossfold/study/train_records.hpp"
#include "krossfold/study/unit_parts.hpp"

namespace krossfold::study {

/// Trains a character model on the ranks of a gang. What it has reached is kept on the first rank (UnitParts), and a training that
/// was stopped or killed goes on with the same bits.
class TrainExecutor : public parallel::GangExecutor {
public:
  TrainExecutor(const TrainPlan& plan, const data::NameTask& task, const PartParams& parts = {});
  std::vector<Record> run(const parallel::Communicator& gang, const Unit& unit, UnitContext& context) override;

private:
  struct Run;
  void keep(const Run& run);
  void store_model(Run& run, CheckpointSink& sink) const;

  const TrainPlan& plan_;
  const data::NameTask& task_;
  nn::Windows<Device> train_, held_out_;
  UnitParts parts_;
};

}  // namespace krossfold::study
