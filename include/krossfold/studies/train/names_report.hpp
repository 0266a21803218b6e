// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "krossfold/studies/train/report.hpp"

namespace krossfold::studies {

/// A training of `krossfold names` with a rank for every worker: as it was measured, or modelled (planning/link_model.hpp) where there were fewer
/// ranks.
struct RunSummary {
  double seconds = 0;  ///< of all its steps; NaN before there are any
  bool modelled = false;
};

/// A held-out loss to reach, and how soon the trainings do: by their steps up to the first epoch whose loss is no more.
struct Target {
  double loss = 0;
  std::string why;
  std::vector<std::optional<double>> seconds;  ///< (run)
  std::vector<int> soonest;  ///< of each number of workers the run that is there first, -1 if none gets there
};

/// What the trainings of a study say together.
struct NamesSummary {
  std::vector<int> workers;  ///< numbers of workers, ascending
  /// The lowest loss that every number of workers reaches, and 1.05 times the lowest of all; none before there is a loss.
  std::vector<Target> target;
  bool measured_link = false;
  planning::Link link;  ///< of the models: the slowest that was measured, or Link()
  std::vector<RunSummary> run;
  /// Fair comparisons: runs of equal batch and rate, which learn the same, with different numbers of workers. Of at least two runs each.
  std::vector<std::vector<int>> fair;
};

NamesSummary summarize_names(const TrainReport& report);

/// Adds what a study of names compares: `runs`, the table of its runs, with further columns; fair comparisons; which number of workers
/// pays.
void add_names(report::Document& document, report::Table runs, const TrainReport& report);

}  // namespace krossfold::studies
