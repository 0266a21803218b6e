// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Measures of scores: decision values or probabilities, of which only the order counts. They equal those of
// scikit-learn's `metrics`, whose names are given. Host code without Kokkos, O(n log n).
//
// In all of them a sample is positive if its class (truth) is `positive`, else negative; a higher score speaks for
// positive; equal scores are one threshold. truth: (sample); score: (sample), not NaN, infinite values allowed;
// weight: (sample), or empty for 1 each. Samples of weight 0 count as absent. Results are bitwise independent of the order
// of the samples. All throw a run error for different lengths, a NaN among the scores, or a weight that is negative or
// not finite.

#include <span>
#include <vector>

namespace krossfold::measures {

/// The receiver operating characteristic, from the highest threshold to the lowest.
struct RocCurve {
  std::vector<double> false_positive_rate;  ///< (point): share of the negatives with score >= threshold, from 0 to 1
  std::vector<double> true_positive_rate;   ///< (point): share of the positives with score >= threshold, from 0 to 1
  std::vector<double> threshold;            ///< (point): infinity, then every score once, descending
};

/// sklearn roc_curve with drop_intermediate=False. A rate is NaN at every point if there is no sample it is a share of.
RocCurve roc_curve(std::span<const int> truth, std::span<const double> score, std::span<const double> weight = {},
                   int positive = 1);

/// The area under the ROC curve: the probability that a positive sample has a higher score than a negative one, equal
/// scores counting half; 0 to 1, 0.5 for chance (sklearn roc_auc_score; Hanley, McNeil, Radiology 143 (1982) 29).
/// NaN without positives or without negatives.
double roc_auc(std::span<const int> truth, std::span<const double> score, std::span<const double> weight = {},
               int positive = 1);

/// Precision against recall, in the order of sklearn: from the lowest threshold to the highest, then (1, 0).
struct PrecisionRecallCurve {
  std::vector<double> precision;  ///< (point): TP / (TP + FP) of the samples with score >= threshold; 1 at the last
  std::vector<double> recall;     ///< (point): TP / positives; 0 at the last
  std::vector<double> threshold;  ///< (point - 1): every score once, ascending
};

/// sklearn precision_recall_curve. Without positives the recall is 1 but for the last point, as there.
PrecisionRecallCurve precision_recall_curve(std::span<const int> truth, std::span<const double> score,
                                            std::span<const double> weight = {}, int positive = 1);

/// The average precision, sum_i (recall_i - recall_i-1) precision_i over descending thresholds; 0 to 1 (sklearn
/// average_precision_score). NaN without positives, where sklearn warns and returns 0.
double average_precision(std::span<const int> truth, std::span<const double> score, std::span<const double> weight = {},
                         int positive = 1);

/// A measure of each class against all others together, and their mean.
struct OneVsRest {
  std::vector<double> per_class;  ///< (class): NaN where not defined
  double macro = 0;               ///< unweighted mean over the classes where it is defined; NaN if there is none
  int undefined = 0;              ///< number of classes left out of the mean
};

/// The ROC AUC of each class against the rest, score: (sample, class), row by row. Where every class is defined the mean
/// is sklearn's roc_auc_score(multi_class="ovr", average="macro"), but the scores need not be probabilities. A class
/// without samples, or with all of them, is NaN; sklearn's mean is then NaN too, this one leaves such a class out, so that
/// a fold without a rare class can still be compared.
/// Throws as above, and a run error for a class outside 0 ... classes - 1.
OneVsRest one_vs_rest_roc_auc(std::span<const int> truth, std::span<const double> score, int classes,
                              std::span<const double> weight = {});

/// The average precision of each class against the rest, as one_vs_rest_roc_auc(); a class without samples is NaN (sklearn
/// average_precision_score with average="macro" takes it as 0).
OneVsRest one_vs_rest_average_precision(std::span<const int> truth, std::span<const double> score, int classes,
                                        std::span<const double> weight = {});

}  // namespace krossfold::measures
