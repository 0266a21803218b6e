// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "krossfold/core/view.hpp"

namespace krossfold::svm {

/// How a multi-class problem is decomposed into binary problems.
enum class Multiclass {
  one_vs_rest,  ///< problem p: class p against all others; the largest decision value wins
  one_vs_one    ///< problem (a, b), a < b, in the order (0,1), (0,2), ...; the most votes win
};

/// "ovr" or "ovo"; throws an input error for any other name.
Multiclass parse_multiclass(const std::string& name);

/// The decomposition that is computed where `wanted` is asked for: two classes are one pair, because one-vs-rest would solve the
/// same problem twice, with opposite signs.
Multiclass decomposition_of(Multiclass wanted, int classes);

/// The number of binary problems: K, or K (K - 1) / 2.
int binary_problems(Multiclass kind, int classes);

/// The classes (a, b) of the one-vs-one problems, in problem order.
std::vector<std::pair<int, int>> class_pairs(int classes);

/// The signs y of every problem (see DualProblems): +1 for class p or a, -1 for the rest or b, 0 for samples of other
/// classes and for those with held(i) != 0. Result: problems x n.
template <class Exec>
Matrix<const std::int8_t, Exec> make_signs(const Exec& exec, Multiclass kind, int classes,
                                           const Vector<const int, Exec>& label, const Vector<const int, Exec>& held);

/// choice(s, i) = the class chosen by the decision values value(s * problems ... s * problems + problems - 1, i).
/// One-vs-rest: the largest value. One-vs-one: the most votes, where a value above 0 votes for a, any other for b (as
/// in LIBSVM's svm_predict_values and scikit-learn's SVC.predict). Ties go to the lowest class.
template <class Exec>
void choose_classes(const Exec& exec, const Matrix<int, Exec>& choice, const Matrix<const double, Exec>& value,
                    Multiclass kind, int classes);

}  // namespace krossfold::svm
