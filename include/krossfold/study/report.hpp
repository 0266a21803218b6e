// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/storage/container.hpp"

namespace krossfold::study {

/// What there is to say about a result file.
struct Report {
  std::string name, kind, status, data;
  int train_samples = 0, test_samples = 0, features = 0, classes = 0;
  int gammas = 0, cs = 0, folds = 0;
  std::string fold_kind;
  int units = 0, units_done = 0, units_failed = 0;
  std::int64_t fits = 0, fits_not_converged = 0;
  bool has_best = false, has_test = false;
  double best_c = 0, best_gamma = 0, best_error = 0, best_spread = 0;  ///< spread: standard deviation over the folds
  double test_error = 0;
  int test_wrong = 0;
  double seconds = 0, unit_seconds = 0, utilisation = 0;
  int ranks = 1;
  std::string model;
  std::vector<std::string> warnings;  ///< best cell on the edge of the grid, fits that did not converge, failed units
};

/// Throws an input error that names the file if its datasets do not fit together.
Report make_report(const storage::Container& result, const std::string& name);

/// The report as text for people, as one JSON object, and the table of all (gamma, C, fold) of a result that make_report
/// accepts as CSV.
std::string report_text(const Report& report);
std::string report_json(const std::vector<Report>& reports);
std::string report_csv(const storage::Container& result);

}  // namespace krossfold::study
