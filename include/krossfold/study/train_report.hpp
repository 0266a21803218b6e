// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/storage/container.hpp"
#include "krossfold/study/step_model.hpp"

namespace krossfold::study {

/// A training in its result file.
struct TrainingReport {
  int workers = 1, ranks = 1, batch = 0, status = 0;
  double rate = 0;
  double summed = 0, gathered = 0;  ///< numbers that the workers exchange in a step
  int sums = 0, gathers = 0;
  double replicated = 0;  ///< as in Exchanged (train_plan.hpp)
  std::string strategy, reason;
  std::vector<double> loss, held_out_loss, held_out_error, seconds,
      comm_seconds;  ///< (epoch); no errors of a character model

  std::vector<int> epoch_ranks;  ///< (epoch): that computed its steps; 0 for several numbers of them

  /// False if it was continued on another number of ranks: then its times are of no one formation.
  bool on_same_ranks() const;
  double total_seconds() const;
  /// Of its time, for the exchange with other ranks; NaN before there is any.
  double comm_share() const;
};

struct TrainReport {
  std::string name, kind, status, data, fold_kind, network, architecture, formation, devices;
  int train_samples = 0, test_samples = 0, features = 0, ranks = 1;
  std::int64_t parameters = 0;
  double seconds = 0, utilisation = 0;
  std::vector<TrainingReport> run;

  /// What the scaling model takes of a run (step_model.hpp); of the means over its epochs on the ranks that ended it.
  MeasuredSteps steps_of(const TrainingReport& one) const;
};

/// Throws an input error that names the file if it is no result of a training.
TrainReport make_train_report(const storage::Container& result, const std::string& name);

std::string train_report_text(const TrainReport& report);
std::string train_report_json(const TrainReport& report);
extern const char* const train_csv_header;
std::string train_csv_rows(const TrainReport& report);

}  // namespace krossfold::study
