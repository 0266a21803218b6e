// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/ensemble/members.hpp"

namespace krossfold::ensemble {

/// choice(k, i) = the most probable class of sample i according to the k-th member, ties going to the lowest class;
/// (member, sample). Precondition of all functions here: finite probabilities.
template <class Exec>
void predicted_classes(const Exec& exec, const Matrix<int, Exec>& choice, const Members<Exec>& members);

/// choice(i) = the class of the largest p(i, c), ties going to the lowest; p: (sample, class), such as a mean.
template <class Exec>
void most_probable_class(const Exec& exec, const Vector<int, Exec>& choice, const Matrix<const double, Exec>& p);

/// votes(i, c) = the number of members whose most probable class for sample i is c; (sample, class).
template <class Exec>
void count_votes(const Exec& exec, const Matrix<int, Exec>& votes, const Members<Exec>& members);

/// choice(i) = the class with the most votes, as bagging combines classifiers (Breiman, Machine Learning 24 (1996)
/// 123). Ties go to the class with the largest mean probability, then to the lowest class.
/// votes and mean: (sample, class), from count_votes and mean_probability.
template <class Exec>
void majority_vote(const Exec& exec, const Vector<int, Exec>& choice, const Matrix<const int, Exec>& votes,
                   const Matrix<const double, Exec>& mean);

}  // namespace krossfold::ensemble
