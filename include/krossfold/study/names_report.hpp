// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "krossfold/study/train_report.hpp"

namespace krossfold::study {

/// A training of `krossfold names` with a rank for every worker: as it was measured, or modelled (step_model.hpp) where there were fewer
/// ranks.
struct RunSummary {
  double seconds = 0;  ///< of all its steps; NaN before there are any
  bool modelled = false;
  std::optional<double>
      to_target;  ///< of its steps up to the first epoch whose held-out loss is no more than the target
};

/// What the trainings of a study say together.
struct NamesSummary {
  double target = 0;  ///< held-out loss: 1.05 times the lowest of all epochs of all runs; NaN before there is one
  bool measured_link = false;
  Link link;  ///< of the models: the slowest that was measured, or Link()
  std::vector<RunSummary> run;
  /// Fair comparisons: runs of equal batch and rate, which learn the same, with different numbers of workers. Of at least two runs each.
  std::vector<std::vector<int>> fair;
  std::vector<int>
      soonest;  ///< of each number of workers, ascending, the run that reaches the target first, -1 if none does
  std::vector<int> workers;  ///< those numbers
};

NamesSummary summarize_names(const TrainReport& report);

/// The table of the study, its fair comparisons and which number of workers pays.
std::string names_report_text(const TrainReport& report);

}  // namespace krossfold::study
