// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "krossfold/core/view.hpp"
#include "krossfold/measures/choose_cell.hpp"
#include "krossfold/measures/confusion.hpp"
#include "krossfold/studies/svm/payload.hpp"
#include "krossfold/svm/decomposition.hpp"

namespace krossfold::studies {

/// The measures that every cell of a search has in every fold: those that need no probabilities
/// but the average precision, whose sorting would take longer than all others together. The first is the error.
const std::vector<const measures::MeasureKind*>& cell_measures();

/// The name of a measure in result files: "balanced_error" for balanced-error.
std::string field_name(const measures::MeasureKind& kind);

/// Parses what a cell is selected by. Throws an input error for a measure that is not in cell_measures().
measures::SelectionRule parse_cell_selection(const std::string& word);

/// Scores by which samples are ordered for each class, (sample, class); of two classes those of class 1 alone. One-vs-rest: the
/// decision values. One-vs-one: votes, and between equal votes the sum s of the decision values for the class as
/// s / (3 (|s| + 1)), as sklearn.utils.multiclass._ovr_decision_function has it.
/// decision: (problem, sample), `samples` columns.
std::vector<double> class_scores(svm::Multiclass multiclass, int classes, const Matrix<const double>& decision,
                                 std::size_t first_row, std::size_t samples);

/// The held-out samples of a fold.
struct HeldOut {
  std::span<const int> truth;        ///< class of each
  std::span<const double> weight{};  ///< of each in the measures; empty for 1
};

/// Adds to `result` the confusion matrix and the scores' measures of each C. choice: (C, held-out sample); decision:
/// (C problems, held-out sample), the problems of a C together. A C with a decision value that is not finite gets wrong = -1 and neither.
void add_cell_measures(FoldResult& result, svm::Multiclass multiclass, int classes, const HeldOut& held,
                       const Matrix<const int>& choice, const Matrix<const double>& decision);

/// The confusion matrix at C number `c`; without samples if the record has none.
measures::Confusion confusion_of(const FoldResult& result, std::size_t c, int classes);

/// The value of a measure at each C; NaN where a decision value is not finite or the record of an older version lacks the measure, and of
/// every measure but the error if all held-out samples are of one class, as in leave-one-out: it would compare them with nothing.
std::vector<double> values_of(const measures::MeasureKind& kind, const FoldResult& result, int classes);

/// The folds by which a measure compares cells: all but those that have errors of cells and the measure of none, because their held-out
/// samples are of one class. error, value: (cell, fold), NaN where not computed.
std::vector<int> measured_folds(const std::vector<double>& error, const std::vector<double>& value, int folds);

/// The mean over some of the folds at a cell; NaN over none.
double mean_at(const std::vector<double>& value, int cell, int folds, const std::vector<int>& over);

/// The choice among cells by values (cell, fold), over their measured_folds(); ties go to the first in the order of preference, which lists
/// every cell once. Nothing if no cell has all these folds.
std::optional<measures::CellChoice> choose_cell(const std::vector<double>& error, const std::vector<double>& value,
                                                int folds, measures::Better better, const std::vector<int>& preference);

/// The choice among the cells of a round by values (gamma, C, fold), over its measured_folds(): ties go to the smallest C, then to
/// the smallest gamma, the most regular machine. Nothing if no cell has all these folds.
std::optional<measures::CellChoice> choose_cell(const std::vector<double>& error, const std::vector<double>& value,
                                                int gammas, int cs, int folds,
                                                measures::Better better = measures::Better::lower);

}  // namespace krossfold::studies
