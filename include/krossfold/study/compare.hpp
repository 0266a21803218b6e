// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/study/file_report.hpp"

namespace krossfold::study {

/// The same study or training as it ran in one place.
struct ComparedRun {
  std::string name, status, formation, devices;
  int ranks = 1;
  double seconds = 0;      ///< wall time; of one training that of its steps
  double computing = 0;    ///< of one rank for all of the work: what tells devices apart
  double utilisation = 0;  ///< share of seconds x ranks in which ranks were computing
  double quality = 0;      ///< test error, or the held-out loss in the end; NaN where there is none
};

/// Result files set side by side: "3 against 8 GPUs", "A100 against H100".
struct Comparison {
  std::string kind, data, work;  ///< of the study: "train"; the data; what was computed
  std::string quality_name;
  std::vector<ComparedRun> run;
  std::vector<int> ranks;  ///< of all files, ascending
  /// (file, number of ranks): seconds, measured where the file ran on so many, else modelled: a training by step_model.hpp, a study of many
  /// units with the file's computing time and utilisation.
  std::vector<std::vector<double>> seconds;
};

/// Throws an input error if there are fewer than two files, if they are of different kinds, data or options, or if one is not
/// finished.
Comparison compare(const std::vector<ResultFile>& files);

/// As text, JSON or CSV.
std::string comparison_report(const Comparison& comparison, const std::string& format);

}  // namespace krossfold::study
