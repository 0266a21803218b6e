// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "krossfold/studies/train/report.hpp"

namespace krossfold::studies {

/// The time of a training of `krossfold names` with one rank per worker: measured, or modelled (planning/link_model.hpp) if it ran
/// on fewer ranks.
struct RunSummary {
  double seconds = 0;  ///< of all its steps; NaN before the first epoch
  bool modelled = false;
};

/// A held-out loss to reach, and the time that the trainings need: their steps up to the first epoch with at most that loss.
struct Target {
  double loss = 0;
  std::string why;
  std::vector<std::optional<double>> seconds;  ///< (run); none if it does not reach the loss
  std::vector<int> soonest;                    ///< (number of workers): the first run to reach it, -1 if none does
};

/// The comparison of all trainings of a study.
struct NamesSummary {
  std::vector<int> workers;  ///< the different numbers of workers, ascending
  /// The lowest loss that every number of workers reaches, and 1.05 times the lowest of all; empty before the first epoch.
  std::vector<Target> target;
  bool measured_link = false;
  planning::Link link;  ///< link of the models: the slowest that was measured, or Link()
  std::vector<RunSummary> run;
  /// Fair comparisons: groups of at least two runs of equal batch and rate, which learn the same, on different numbers of workers.
  std::vector<std::vector<int>> fair;
};

NamesSummary summarize_names(const TrainReport& report);

/// Adds the comparison to the document of a study of names: `runs`, the table of its runs, with further columns; the fair
/// comparisons; the number of workers that reaches each target first.
void add_names(report::Document& document, report::Table runs, const TrainReport& report);

}  // namespace krossfold::studies
