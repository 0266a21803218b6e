// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Measures of predicted labels, all of them from the confusion matrix. They equal those of scikit-learn's `metrics`, whose
// names are given. Host code without Kokkos.

#include <cstddef>
#include <span>
#include <vector>

namespace krossfold::measures {

/// The confusion matrix: the weights of the samples of each class (truth) that were assigned to each class (choice).
/// That of several folds together is the sum of those of the folds.
struct Confusion {
  int classes = 0;
  std::vector<double> weight;  ///< (truth, choice): summed weights, or numbers of samples

  double operator()(int truth, int choice) const {
    return weight[static_cast<std::size_t>(truth) * static_cast<std::size_t>(classes) +
                  static_cast<std::size_t>(choice)];
  }
  /// Adds the samples of `other`. A default-constructed matrix takes on the classes of the first one added.
  /// Throws a run error if the numbers of classes differ.
  Confusion& operator+=(const Confusion& other);
};

/// The confusion matrix of samples of the classes `truth` that were assigned to the classes `choice` (sklearn
/// confusion_matrix). truth, choice: (sample), in 0 ... classes - 1; weight: (sample), or empty for 1 each. Numbers of
/// samples are exact, sums of weights are rounded about once, whatever the order of the samples.
/// Throws a run error for different lengths, a label that is no class, or a weight that is negative or not finite.
Confusion confusion(std::span<const int> truth, std::span<const int> choice, int classes,
                    std::span<const double> weight = {});

/// Measures of each class against the rest, from TP = the weight of its samples assigned to it (sklearn
/// precision_recall_fscore_support with labels=range(classes), zero_division=0). Where a denominator is 0, so is the
/// measure.
struct ClassMeasures {
  std::vector<double> precision;  ///< (class): TP / predicted, 0 to 1
  std::vector<double> recall;     ///< (class): TP / support, 0 to 1
  std::vector<double> f1;         ///< (class): 2 TP / (support + predicted), 0 to 1
  std::vector<double> support;    ///< (class): weight of the samples of the class
  std::vector<double> predicted;  ///< (class): weight of the samples assigned to the class
};
ClassMeasures class_measures(const Confusion& confusion);

/// Unweighted means over the classes that a sample belongs to or was assigned to, 0 to 1; NaN without samples.
struct MacroMeasures {
  double precision = 0, recall = 0, f1 = 0;
};

/// The macro averages (sklearn precision_score, recall_score and f1_score with average="macro", zero_division=0). Unlike
/// in sklearn, a class with samples of weight 0 alone counts as absent.
MacroMeasures macro_measures(const Confusion& confusion);

/// The fraction of the weight assigned to a wrong class, 0 to 1 (sklearn zero_one_loss); NaN without samples.
double error_rate(const Confusion& confusion);

/// 1 - the mean recall of the classes that have samples, 0 to 1 (1 - sklearn balanced_accuracy_score); NaN without samples.
double balanced_error(const Confusion& confusion);

/// Matthews' correlation coefficient for any number of classes, -1 to 1 (sklearn matthews_corrcoef),
///   sum_k (C(k, k) n - t_k p_k) / sqrt(sum_k t_k (n - t_k) sum_k p_k (n - p_k))
/// with t the row sums, p the column sums and n the sum of C. It is 0 where truth or choice is a single class, and NaN
/// without samples. Gorodkin, Comput. Biol. Chem. 28 (2004) 367.
double matthews_correlation(const Confusion& confusion);

}  // namespace krossfold::measures
