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

enum class FoldKind { contiguous, stratified, shuffled };

/// Parses "contiguous", "stratified" or "shuffled"; throws an input error that suggests the nearest of them.
FoldKind parse_fold_kind(const std::string& word);

/// Splits samples 0 ... n-1 into k parts whose sizes differ by at most one:
///   contiguous  fold f is round(f n / k) ... round((f + 1) n / k) - 1 (ties to even, as numpy.linspace with round)
///   stratified  the samples of each class are dealt to the folds in turn, each class continuing where the previous one
///               stopped, so that the class counts also differ by at most one
///   shuffled    a random permutation (seed, random_purpose_shuffled_folds), cut like contiguous, with each part sorted
/// Throws an input error if k < 2 or k > n.
FoldSplit make_folds(FoldKind kind, int k, const Vector<const int>& label, std::uint64_t seed);

/// How many of n samples make_folds() holds out in each of k folds.
std::vector<int> fold_sizes(FoldKind kind, int k, int n);

}  // namespace krossfold::data
