// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The choice of a cell of a search by a measure of its folds. Host code without Kokkos.

#include <optional>
#include <span>
#include <string>

#include "krossfold/measures/measures.hpp"

namespace krossfold::measures {

struct CellChoice {
  int best = 0;     ///< the best mean over the folds; of equal ones the first in the order of preference
  double mean = 0;  ///< of `best`
  double standard_error =
      0;               ///< of `mean`: the standard deviation over the folds (ddof = 1) / sqrt(folds); NaN for one fold
  int tied = 0;        ///< number of cells whose mean is that of `best` to 12 digits, itself included
  int first_tied = 0;  ///< the first of these in the order of preference
  int within = 0;      ///< number of cells no worse than `best` by more than standard_error; at least `tied`
  int simplest = 0;    ///< the first of these in the order of preference
};

/// The choice among cells, value: (cell, fold). preference lists every cell once, the most preferred first; empty means in
/// the order given. A cell with a value that is NaN or infinite (not computed) never counts; nothing if there is no other.
/// `tied` allows for what the order of summation does to equal means: a difference of 5e-13 of the mean. `simplest` is
/// the rule of one standard error of Breiman, Friedman, Olshen, Stone, Classification and Regression Trees (1984), 3.4.3.
/// Throws a run error if folds < 1, values are not a whole number of cells, or preference is not a permutation of them.
std::optional<CellChoice> choose_cell(std::span<const double> value, int folds, Better better,
                                      std::span<const int> preference = {});

/// What a cell is chosen by: a measure, and whether the best cell or the simplest within one standard error of it.
struct SelectionRule {
  const MeasureKind* measure = nullptr;  ///< in measure_kinds()
  bool one_standard_error = false;

  int cell(const CellChoice& choice) const { return one_standard_error ? choice.simplest : choice.best; }
};

/// Parses "MEASURE" or "MEASURE,1se"; throws an input error that suggests what to write.
SelectionRule parse_selection_rule(const std::string& word);

}  // namespace krossfold::measures
