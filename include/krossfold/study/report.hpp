// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/storage/container.hpp"

namespace krossfold::study {

/// The best cell of a round of --refine.
struct RoundReport {
  bool has_best = false;
  double c = 0, gamma = 0, error = 0;
};

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
  int best_round = 0;                                                  ///< 0: in the grid
  std::vector<RoundReport> rounds;                                     ///< of --refine, begun so far
  double test_error = 0;
  int test_wrong = 0;
  bool has_probability = false;
  double log_loss = 0, brier = 0;  ///< of the probabilities, cross-validated
  double seconds = 0, unit_seconds = 0;
  double utilisation = 0;  ///< computing time over wall time x ranks, of the last run
  int ranks = 1;
  std::string model;                  ///< path of the model file, "" if there is none
  std::vector<std::string> warnings;  ///< best cell on the edge of the grid, fits that did not converge, failed units
};

/// Throws an input error that names the file if its datasets do not fit together.
Report make_report(const storage::Container& result, const std::string& name);

/// The report as text for people, and as JSON: one object.
std::string report_text(const Report& report);
std::string report_json(const Report& report);

/// The first line of the table of results, and the lines of one result that make_report accepts: one for each
/// (gamma, C, fold). `name` is the file's.
inline constexpr const char* report_csv_header = "file,gamma,C,fold,error,unit_seconds,unit_status\n";
std::string report_csv_rows(const storage::Container& result, const std::string& name);

/// A field of a CSV line, in quotes where RFC 4180 wants them.
std::string csv_field(const std::string& value);

}  // namespace krossfold::study
