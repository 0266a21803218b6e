// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "krossfold/measures/confusion.hpp"
#include "krossfold/report/document.hpp"
#include "krossfold/run/result_summary.hpp"
#include "krossfold/run/unit_table.hpp"

namespace krossfold::studies {

/// A cell with its mean fold error; NaN if no cell has all its folds yet.
struct CellReport {
  double c = run::not_computed, gamma = c, error = c;
};

/// What the result file of a search in parts tells of them.
struct PartsReport {
  int parts = 0;     ///< 0: the search was not in parts
  std::string kind;  ///< "voronoi" or "random"
  std::vector<std::int32_t> samples;
  std::vector<double> gamma, c, error;  ///< (part): the cells chosen; empty before they are
  bool own_cells = false;
};

/// The content of the result file of an SVM search.
struct SvmReport : run::ResultSummary {
  std::string kernel = "rbf";  ///< the word of kernel-function
  bool has_gamma = true;       ///< whether that kernel has one; otherwise its axis has the single value 1
  int classes = 0, gammas = 0, cs = 0, folds = 0;
  run::UnitCounts units;
  std::int64_t fits = 0, fits_not_converged = 0;
  double gradient_error = 0;  ///< largest of all fits, with a factor in the place of the kernel matrix
  bool has_best = false;
  double best_c = 0, best_gamma = 0, best_error = 0, best_spread = 0;  ///< spread: standard deviation over the folds
  int best_gamma_index = 0, best_c_index = 0;                          ///< in best_round
  int best_round = 0;                                                  ///< 0: the best cell lies in the grid
  std::vector<CellReport> rounds;   ///< best cells of the rounds of refinement begun so far
  std::string select_by = "error";  ///< the measure that selected the best cell
  int repeats = 1;                  ///< partitions into folds, each of folds / repeats
  int outer = 0;                    ///< outer folds of nested cross-validation, if it is done
  double nested_error = 0, nested_spread = 0;
  std::vector<std::pair<std::string, double>>
      nested_selected;                 ///< what selects cells, if not the error: mean of the outer folds
  std::vector<double> best_measures;   ///< of cell_measures(), means over the folds; empty in older files
  int best_tied = 0, best_within = 0;  ///< cells that share the best mean, or lie within its standard error; 0 unknown
  measures::Confusion confusion, test_confusion;  ///< held-out samples of all folds at the best cell, and the test part
  std::vector<std::string> class_name;
  bool has_test = false;
  double test_error = 0;
  int test_wrong = 0;
  std::vector<std::pair<std::string, double>>
      test_scores;  ///< measures of its decision values and probabilities, by their names in words
  bool has_probability = false;
  double log_loss = 0, brier = 0;  ///< cross-validated scores of the probabilities
  PartsReport parts;
  std::string model;  ///< path of the model file; "" if there is none

  /// Throws an input error that names the file if its datasets do not fit together.
  explicit SvmReport(const run::ResultFile& result);
};

/// The report of a search; its CSV form has a line for each (gamma, C, fold).
report::Document svm_document(const run::ResultFile& file);

}  // namespace krossfold::studies
