// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/svm/machine.hpp"

namespace krossfold::interchange {

/// The number of the problem of two different classes in the order of svm::class_pairs().
inline int pair_number(int one, int other, int classes) {
  const int a = one < other ? one : other, b = one < other ? other : one;
  return a * classes - a * (a + 1) / 2 + b - a - 1;
}

/// The decision values sum_i coefficient(p, i) K(x_i, x) + constant[p] of a machine of pairs of classes.
struct Pairwise {
  Matrix<const double> coefficient;   ///< (pair, support vector)
  std::vector<double> constant;       ///< (pair)
  std::vector<svm::Sigmoid> sigmoid;  ///< (pair); empty if there is none
  std::vector<int> order;             ///< the support vectors by class
  std::vector<int> count;             ///< (class): its support vectors
};

/// The constant of each problem of a machine: its bias, less the sum of its coefficients if the kernel is rbf, because
/// svm::decision_values() computes with K - 1. That sum is 0 up to rounding if the machine was trained.
std::vector<double> constants_of(const svm::Machine& machine);
/// The inverse: the biases with which a machine has these constants.
void set_constants(svm::Machine& machine, const std::vector<double>& constant);

/// The support vectors by class, and how many each class has.
std::vector<int> by_class(const svm::Machine& machine);
std::vector<int> count_by_class(const svm::Machine& machine);

/// The machine as one of pairs. One-vs-rest of two classes, whose decision values f and g mirror one another, is one pair with
/// (f - g) / 2. Throws an input error for one-vs-rest of more classes, and for a coefficient of a support vector in a problem that its
/// class has no part in; `name` is used in messages.
Pairwise pairwise_of(const svm::Machine& machine, const std::string& name);

}  // namespace krossfold::interchange
