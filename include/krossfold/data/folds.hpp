// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/core/view.hpp"

namespace krossfold::data {

/// A partition of the samples for k-fold cross-validation; fold f trains on everything except held[f].
struct FoldSplit {
  std::vector<std::vector<int>> held;  ///< (fold): the samples held out, ascending

  int folds() const { return static_cast<int>(held.size()); }
  /// The complement of held[fold] in 0 ... n-1, ascending.
  std::vector<int> training(int fold, int n) const;
};

enum class FoldKind { contiguous, stratified, shuffled, stratified_shuffled, leave_one_out };

/// Parses "contiguous", "stratified", "shuffled", "stratified-shuffled" or "leave-one-out"; throws an input error that
/// suggests the nearest of them.
FoldKind parse_fold_kind(const std::string& word);

/// Splits samples 0 ... n-1 into k parts whose sizes differ by at most one:
///   contiguous           fold f is round(f n / k) ... round((f + 1) n / k) - 1 (ties to even, as numpy.linspace with
///                        round)
///   stratified           the samples of each class are dealt to the folds in turn, each class continuing where the
///                        previous one stopped, so that the class counts also differ by at most one
///   shuffled             a random permutation (seed, random_purpose_shuffled_folds), cut like contiguous, with each part
///                        sorted
///   stratified-shuffled  like stratified, but the samples of each class are dealt in the order of a random permutation
///                        (seed, random_purpose_stratified_folds)
///   leave-one-out        each sample is a fold of its own; `k` is ignored
/// Throws an input error if k < 2 or k > n, or if there are fewer than two samples.
FoldSplit make_folds(FoldKind kind, int k, const Vector<const int>& label, std::uint64_t seed);

/// How many of n samples make_folds() holds out in each fold.
std::vector<int> fold_sizes(FoldKind kind, int k, int n);

/// Warnings for the user: a sentence if folds train without a class that the data have, and one if folds hold out no sample of a
/// class that has at least as many samples as there are folds. `class_name` has the name of each label.
std::vector<std::string> missing_classes(const FoldSplit& split, const Vector<const int>& label,
                                         const std::vector<std::string>& class_name);

}  // namespace krossfold::data
