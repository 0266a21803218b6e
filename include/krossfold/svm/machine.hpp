// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/svm/decomposition.hpp"
#include "krossfold/svm/dual_problem.hpp"
#include "krossfold/svm/kernel_function.hpp"
#include "krossfold/svm/platt.hpp"

namespace krossfold::svm {

/// A trained machine in host memory, with everything that prediction needs.
struct Machine {
  Multiclass multiclass = Multiclass::one_vs_rest;
  data::Dataset support;  ///< samples with a coefficient != 0 in any problem, unscaled; without features if precomputed
  Matrix<double> coefficient;  ///< (problem, support vector): beta = y alpha
  std::vector<double> bias;    ///< (problem)
  KernelFunction kernel;       ///< of scaled features
  double c = 1;
  std::vector<int>
      column;  ///< (support vector): the feature of a sample that is its kernel value with it; precomputed only
  int kernel_columns = 0;        ///< precomputed: features of a sample, the samples of the training file; otherwise 0
  std::vector<Sigmoid> sigmoid;  ///< (problem): maps decision values to probabilities; empty if not calibrated
  data::Scale scale;
  std::vector<std::string> class_name;
  data::ImageShape image;
  std::vector<FitSummary> fit;  ///< (problem): how its training ended; empty if the machine was read from a file

  int classes() const { return static_cast<int>(class_name.size()); }
  /// Of the samples that it classifies.
  int features() const { return kernel_columns > 0 ? kernel_columns : support.features(); }
  int problems() const { return static_cast<int>(bias.size()); }
};

/// Keeps the samples of `train` that are support vectors in any binary problem; beta: (problem, sample).
Machine make_machine(const data::Dataset& train, const Matrix<const double>& beta, const std::vector<double>& bias,
                     const KernelFunction& kernel = {});

/// Throws a run error unless all coefficients and biases are finite, as they are not where kernel values overflow.
void require_finite(const Machine& machine);

/// Decision values sum_i coefficient(p, i) K(x_i, x) + bias(p), (sample, problem), computed in blocks of
/// decision_block() samples with polls in between. The rbf kernel is formed as exp(...) - 1, so the coefficients of each problem must sum
/// to zero, as those of training do; in float, or in double where the coefficients are so large that its rounding would
/// show (by more than about 1e-4). Other kernels are formed in double. Throws an input error if the number of features differs.
template <class Exec>
Matrix<double> decision_values(const Exec& exec, const Machine& machine, const data::Dataset& samples,
                               const Poll& poll = {});

/// The predicted class for every row of decision values (see choose_classes).
std::vector<int> predicted_classes(const Machine& machine, const Matrix<double>& decision);
std::vector<int> predicted_classes(Multiclass kind, int classes, const Matrix<double>& decision);

/// The probability of each class (see class_probabilities), (sample, class), from decision values (sample, problem).
/// Precondition: the machine has sigmoids.
Matrix<double> class_probabilities(const Machine& machine, const Matrix<double>& decision);

/// The name of each problem's decision values: the class, or "a/b" for one-vs-one, where values above 0 favour a.
std::vector<std::string> problem_names(Multiclass kind, const std::vector<std::string>& class_name);

}  // namespace krossfold::svm
