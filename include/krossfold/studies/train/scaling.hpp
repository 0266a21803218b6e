// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "krossfold/planning/formation.hpp"
#include "krossfold/report/document.hpp"
#include "krossfold/run/study_kind.hpp"
#include "krossfold/studies/train/report.hpp"

namespace krossfold::studies {

/// The predicted training on a formation (planning/link_model.hpp); a step waits for the slowest rank.
struct ScalingRow {
  std::string formation;
  int ranks = 0, nodes = 0;
  bool measured = false;  ///< true for the formation that the training ran on
  double epoch = 0;       ///< seconds of an epoch's steps
  double seconds = 0;     ///< of all epochs
  double exchange = 0;    ///< share of the time for the exchange
  double speed_up = 0;    ///< relative to one rank of speed 1, which is modelled if it was not measured
  double rank_hours = 0;
  std::optional<double> price;
  bool in_time = true;
};

/// The predictions for a training on several formations.
struct Scaling {
  std::string name;      ///< of the result file
  std::string training;  ///< "run 3: ddp, 4 workers, batch 4096, rate 0.004"
  int epochs = 0, workers = 1;
  bool split = false;  ///< model-parallel: each rank is a worker
  planning::Link link;
  std::string bandwidth_source, latency_source;  ///< "measured" (the bandwidth alone), "assumed" or "given"
  double deadline = 0;
  std::vector<ScalingRow> rows;
  int cheapest = -1;  ///< row that meets the deadline at the lowest price, or else rank-hours; -1 if none does
  bool on_devices = false;
  double replicated = 0;  ///< share of a step's operations that every rank repeats
};

/// Predictions for every run of a result file that has epochs. Throws an input error if there is none.
std::vector<Scaling> scale_trainings(const TrainReport& report, const run::PlanRequest& request);

/// The report of the predictions for a training; its CSV form has a line for each formation.
report::Document scaling_document(const Scaling& scaling);

}  // namespace krossfold::studies
