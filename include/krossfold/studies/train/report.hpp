// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/planning/link_model.hpp"
#include "krossfold/report/document.hpp"
#include "krossfold/run/result_summary.hpp"
#include "krossfold/run/unit_table.hpp"

namespace krossfold::studies {

/// A training in its result file.
struct TrainingReport {
  int workers = 1, ranks = 1, batch = 0, status = 0;
  double rate = 0;
  double summed = 0, gathered = 0;  ///< numbers that the workers exchange in a step
  int sums = 0, gathers = 0;
  double replicated = 0;  ///< as in training::Exchanged
  std::string strategy, reason;
  std::vector<double> loss, held_out_loss, held_out_error, seconds, comm_seconds;  ///< (epoch); no errors of names
  std::vector<int> epoch_ranks;  ///< (epoch): that computed its steps; 0 for several numbers of them

  /// False if it was continued on another number of ranks: then its times are of no one formation.
  bool on_same_ranks() const;
  double total_seconds() const;
  /// Of its time, for the exchange with other ranks; NaN before there is any.
  double comm_share() const;
};

/// What a result file says of trainings.
struct TrainReport : run::ResultSummary {
  std::string network, architecture;
  std::int64_t parameters = 0;
  run::UnitCounts units;
  int diverged = 0;  ///< units
  std::vector<TrainingReport> run;

  /// Throws an input error that names the file if its datasets do not fit together.
  explicit TrainReport(const run::ResultFile& file);
  TrainReport() = default;
  /// What the scaling model takes of a run (planning/link_model.hpp); of the means over its epochs on the ranks that ended it.
  planning::MeasuredSteps steps_of(const TrainingReport& one) const;
  /// The run with the lowest held-out loss in the end; nullptr before there is any.
  const TrainingReport* best() const;
};

/// For people and programs; its CSV form has a line for each epoch of each run.
report::Document train_document(const run::ResultFile& file);

}  // namespace krossfold::studies
