// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/measures/confusion.hpp"
#include "krossfold/planning/link_model.hpp"
#include "krossfold/report/document.hpp"
#include "krossfold/run/result_summary.hpp"
#include "krossfold/run/unit_table.hpp"

namespace krossfold::studies {

/// A training as its result file describes it.
struct TrainingReport {
  int workers = 1, ranks = 1, batch = 0, status = 0;
  double rate = 0;
  double summed = 0, gathered = 0;  ///< this and the next three: see training::Exchanged
  int sums = 0, gathers = 0;
  double replicated = 0;
  std::string strategy, reason;
  std::vector<double> loss, held_out_loss, held_out_error, seconds, comm_seconds;  ///< (epoch); names have no errors
  std::vector<double> validation_loss, validation_error;  ///< (epoch), if there was a validation
  int kept_epoch = 0;  ///< whose weights the model has, from 1; 0 without a model or in older files
  measures::Confusion
      confusion;  ///< of the held-out samples by the model; without classes if some have no prediction, in older files and for names
  std::int64_t unpredicted = 0;  ///< held-out samples without a prediction, in files that have predictions
  std::vector<int> epoch_ranks;  ///< (epoch): ranks that computed its steps; 0 if their number changed

  /// False if it was continued on another number of ranks, so that its times mix formations.
  bool on_same_ranks() const;
  /// True if an epoch was computed from its beginning to its end by the ranks it has in the end, so that its steps have times.
  bool has_times() const;
  /// A value of the kept epoch, else of the last; NaN if there is none.
  double kept(const std::vector<double>& of_epoch) const;
  double kept_loss() const { return kept(held_out_loss); }
  double total_seconds() const;
  /// Share of its time that the exchange with other ranks took; NaN before the first epoch.
  double comm_share() const;
};

/// The result file of one or several trainings.
struct TrainReport : run::ResultSummary {
  std::string network, architecture;
  std::vector<std::string> class_name;  ///< empty for names and in older files
  std::int64_t parameters = 0;
  run::UnitCounts units;
  int diverged = 0;  ///< units that diverged
  std::vector<TrainingReport> run;

  /// Throws an input error that names the file if its datasets do not fit together.
  explicit TrainReport(const run::ResultFile& result);
  TrainReport() = default;
  /// A run as the scaling model (planning/link_model.hpp) describes it: the means over its epochs on its last number of ranks.
  planning::MeasuredSteps steps_of(const TrainingReport& one) const;
  /// The run with the lowest final held-out loss; nullptr before there is any.
  const TrainingReport* best() const;
};

/// The report of a result file; its CSV form has a line for each epoch of each run.
report::Document train_document(const run::ResultFile& file);

}  // namespace krossfold::studies
