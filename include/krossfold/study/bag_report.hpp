// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/storage/container.hpp"

namespace krossfold::study {

/// A bootstrap's network, as far as it is known; NaN and -1 stand for what is not.
struct NetworkReport {
  int trial = -1, channels = 0, kernel = 0, hidden = 0, epochs = 0;
  double rate = 0, momentum = 0;
  double validation_error = 0, out_of_bag_error = 0, test_error = 0, nll = 0, brier = 0, ece = 0;
  std::string model;   ///< path of its file, "" if there is none
  std::string reason;  ///< why it failed or diverged
};

/// How well images out of distribution are told from the test images.
struct OodReport {
  std::string name;
  int count = 0;
  std::vector<double> auroc, kept;  ///< (score)
};

/// What there is to say about the result file of a bagging study.
struct BagReport {
  std::string name, status, data, fold_kind;
  int train_samples = 0, test_samples = 0, features = 0, classes = 0;
  int bootstraps = 0, trials = 0, folds = 0;
  int units = 0, units_done = 0, units_failed = 0, units_pruned = 0, trainings_diverged = 0;  ///< with final fits
  std::vector<NetworkReport> network;                                                         ///< (bootstrap)
  bool has_ensemble = false;
  std::vector<std::string> rule;
  std::vector<double> error;              ///< (rule)
  double mean_error = 0, best_error = 0;  ///< of the networks by themselves
  double nll = 0, brier = 0, ece = 0;     ///< of the mean probability
  std::vector<std::string> score;
  std::vector<OodReport> ood;
  double seconds = 0, unit_seconds = 0, utilisation = 0;
  int ranks = 1;
  std::vector<std::string> warnings;
};

/// Throws an input error that names the file if its datasets do not fit together.
BagReport make_bag_report(const storage::Container& result, const std::string& name);

/// As text for people, and as JSON: one object.
std::string bag_report_text(const BagReport& report);
std::string bag_report_json(const BagReport& report);

/// The lines of one result that make_bag_report accepts, one for each (bootstrap, trial, fold), and the line before them.
inline constexpr const char* bag_csv_header =
    "file,bootstrap,trial,fold,channels,kernel,hidden,rate,momentum,epochs,loss,error,unit_seconds,unit_status\n";
std::string bag_csv_rows(const storage::Container& result, const std::string& name);

}  // namespace krossfold::study
