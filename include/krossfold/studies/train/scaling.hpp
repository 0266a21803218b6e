// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/planning/formation.hpp"
#include "krossfold/report/document.hpp"
#include "krossfold/run/study_kind.hpp"
#include "krossfold/studies/train/report.hpp"

namespace krossfold::studies {

/// A training on a formation, as planning/link_model.hpp has it: a step waits for the slowest rank.
struct ScalingRow {
  std::string formation;
  int ranks = 0;
  bool measured = false;  ///< the ranks that the training ran on
  double epoch = 0;       ///< seconds of an epoch's steps
  double seconds = 0;     ///< of all epochs
  double exchange = 0;    ///< share of that for the exchange
  double speed_up = 0;    ///< against one rank of speed 1, modelled if that was not measured
  double rank_hours = 0;
  bool in_time = true;
};

/// What other formations would do with a training.
struct Scaling {
  std::string name, training;  ///< of the file; "run 3: 4 workers, batch 4096, rate 0.004"
  int epochs = 0;
  planning::Link link;
  std::string link_source;  ///< "measured", "assumed" or "given"
  double deadline = 0;
  std::vector<ScalingRow> rows;
  int cheapest = -1;  ///< the row that meets the deadline with the fewest rank-hours
  bool on_devices = false;
  double replicated = 0;  ///< share of a step's operations that every rank does whole
};

/// One for every run that has been trained. Throws an input error if there is none.
std::vector<Scaling> scale_trainings(const TrainReport& report, const run::PlanRequest& request);

/// For people and programs; its CSV form has a line for each formation.
report::Document scaling_document(const Scaling& scaling);

}  // namespace krossfold::studies
