// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/report/document.hpp"
#include "krossfold/run/result_summary.hpp"
#include "krossfold/run/unit_table.hpp"

namespace krossfold::studies {

/// The best cell of a round of refinement.
struct RoundReport {
  bool has_best = false;
  double c = 0, gamma = 0, error = 0;
};

/// What a result file says of an SVM search.
struct SvmReport : run::ResultSummary {
  int classes = 0, gammas = 0, cs = 0, folds = 0;
  run::UnitCounts units;
  std::int64_t fits = 0, fits_not_converged = 0;
  bool has_best = false, has_test = false;
  double best_c = 0, best_gamma = 0, best_error = 0, best_spread = 0;  ///< spread: standard deviation over the folds
  int best_c_index = 0;
  int best_round = 0;               ///< 0: in the grid
  std::vector<RoundReport> rounds;  ///< of refinement, begun so far
  double test_error = 0;
  int test_wrong = 0;
  bool has_probability = false;
  double log_loss = 0, brier = 0;  ///< of the probabilities, cross-validated
  std::string model;               ///< path of the model file, "" if there is none

  /// Throws an input error that names the file if its datasets do not fit together.
  explicit SvmReport(const run::ResultFile& file);
};

/// For people and programs; its CSV form has a line for each (gamma, C, fold).
report::Document svm_document(const run::ResultFile& file);

}  // namespace krossfold::studies
