// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/measures/confusion.hpp"
#include "krossfold/report/document.hpp"
#include "krossfold/run/result_summary.hpp"
#include "krossfold/run/unit_table.hpp"

namespace krossfold::studies {

/// The final network of a bootstrap; NaN and -1 stand for what is not known.
struct NetworkReport {
  int bootstrap = 0, trial = -1, channels = 0, kernel = 0, hidden = 0, epochs = 0;
  double rate = 0, momentum = 0;
  double validation_error = 0, out_of_bag_error = 0, test_error = 0, nll = 0, brier = 0, ece = 0;
  std::string model;   ///< path of its file; "" if there is none
  std::string reason;  ///< why it failed or diverged
};

/// How well a set of images out of distribution is told from the test images.
struct OodReport {
  std::string name;
  int count = 0;
  std::vector<double> auroc, kept;  ///< (score)
};

/// The content of the result file of a bagging study.
struct BagReport : run::ResultSummary {
  int classes = 0, bootstraps = 0, trials = 0, folds = 0;
  run::UnitCounts units;  ///< including the final fits
  int trainings_diverged = 0;
  std::vector<NetworkReport> network;  ///< (bootstrap)
  bool has_ensemble = false;
  std::vector<std::string> rule;
  std::vector<double> error;              ///< (rule)
  double mean_error = 0, best_error = 0;  ///< of the single networks
  double nll = 0, brier = 0, ece = 0;     ///< of the mean probability
  std::vector<std::string> class_name;
  measures::Confusion confusion;  ///< of the test samples by majority vote; without classes before there is an ensemble
  std::vector<std::string> score;
  std::vector<OodReport> ood;

  /// Throws an input error that names the file if its datasets do not fit together.
  explicit BagReport(const run::ResultFile& result);
};

/// The report of a study; its CSV form has a line for each (bootstrap, trial, fold).
report::Document bag_document(const run::ResultFile& file);

}  // namespace krossfold::studies
