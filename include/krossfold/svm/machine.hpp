// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/core/view.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/data/scale.hpp"

namespace krossfold::svm {

/// A trained one-vs-rest RBF machine, in host memory: all that prediction needs.
struct Machine {
  data::Dataset support;       ///< samples with a coefficient != 0 in any class, unscaled
  Matrix<double> coefficient;  ///< (class, support vector): beta = y alpha
  std::vector<double> bias;    ///< (class)
  double gamma = 1, c = 1;     ///< gamma in scaled features
  data::Scale scale;
  std::vector<std::string> class_name;
  data::ImageShape image;

  int classes() const { return static_cast<int>(class_name.size()); }
};

/// Keeps the samples of `train` that are support vectors in any class; beta: (class, sample).
Machine make_machine(const data::Dataset& train, const Matrix<const double>& beta, const std::vector<double>& bias);

/// Decision values sum_i coefficient(c, i) exp(-gamma |x_i - x|^2) + bias(c), (sample, class); the predicted class is
/// the largest. Works through the samples in blocks of 1024.
/// Throws an input error if the number of features differs.
template <class Exec>
Matrix<double> decision_values(const Exec& exec, const Machine& machine, const data::Dataset& samples);

/// The predicted class of every row of decision values: the largest, the first of equal ones.
std::vector<int> predicted_classes(const Matrix<double>& decision);

}  // namespace krossfold::svm
