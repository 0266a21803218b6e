// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The table of measures that a study can report and select by. Host code without Kokkos.

#include <span>
#include <string>
#include <vector>

namespace krossfold::measures {

/// What is known of the samples that a measure is taken of. Leave empty what there is not.
struct Predicted {
  int classes = 0;
  std::span<const int> truth = {};           ///< (sample), in 0 ... classes - 1
  std::span<const int> choice = {};          ///< (sample): the predicted class
  std::span<const double> score = {};        ///< (sample, class), row by row; of two classes also (sample), of class 1
  std::span<const double> probability = {};  ///< (sample, class), row by row
  std::span<const double> weight = {};       ///< (sample); none: 1 each
};

enum class Better { lower, higher };

/// What a measure is taken of, besides the classes. The probabilities serve as scores where there are no scores.
enum class MeasureNeeds { labels, scores, probabilities };

struct MeasureKind {
  std::string name;  ///< as users write it
  Better better;
  MeasureNeeds needs;
  double least, most;  ///< its range
  std::string help;    ///< one line
  double (*value)(const Predicted& predicted);
};

/// Every measure once: error, balanced-error, f1-macro, precision-macro, recall-macro, mcc, roc-auc, average-precision,
/// log-loss and brier. Their formulas: confusion.hpp, score_measures.hpp, probability_measures.hpp. roc-auc and
/// average-precision are those of class 1 where there are two classes, else the means over one against the rest; brier is
/// BrierScale::sum.
const std::vector<MeasureKind>& measure_kinds();

/// The measure of that name; throws an input error that suggests the nearest one.
const MeasureKind& parse_measure(const std::string& word);

/// The value of a measure: NaN where it is not defined, as without samples.
/// Throws a run error if what it needs is missing, or what the functions of the headers above refuse.
double measure(const MeasureKind& kind, const Predicted& predicted);

}  // namespace krossfold::measures
