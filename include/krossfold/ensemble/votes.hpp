// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/ensemble/members.hpp"

namespace krossfold::ensemble {

/// choice(k, i) = the class that the k-th member holds most probable for sample i, the lowest of equal ones; (member,
/// sample). Precondition of all here: finite probabilities.
template <class Exec>
void predicted_classes(const Exec& exec, const Matrix<int, Exec>& choice, const Members<Exec>& members);

/// choice(i) = the class of the largest p(i, c), the lowest of equal ones; p is (sample, class), such as a mean of models.
template <class Exec>
void most_probable_class(const Exec& exec, const Vector<int, Exec>& choice, const Matrix<const double, Exec>& p);

/// votes(i, c) = the number of members whose most probable class for sample i is c; (sample, class).
template <class Exec>
void count_votes(const Exec& exec, const Matrix<int, Exec>& votes, const Members<Exec>& members);

/// choice(i) = the class with most votes, as bagging combines classifiers (Breiman, Machine Learning 24 (1996) 123). Of
/// classes with equally many the one with the largest mean probability, of those with equal means the lowest.
/// votes and mean: (sample, class), from count_votes and mean_probability.
template <class Exec>
void majority_vote(const Exec& exec, const Vector<int, Exec>& choice, const Matrix<const int, Exec>& votes,
                   const Matrix<const double, Exec>& mean);

}  // namespace krossfold::ensemble
