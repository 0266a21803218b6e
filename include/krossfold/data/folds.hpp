// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/core/view.hpp"

namespace krossfold::data {

/// A partition of the samples for k-fold cross-validation. The training part of fold f is everything but held[f].
struct FoldSplit {
  std::vector<std::vector<int>> held;  ///< (fold): the samples held out, ascending

  int folds() const { return static_cast<int>(held.size()); }
  /// The complement of held[fold], ascending; `n` samples in all.
  std::vector<int> training(int fold, int n) const;
};

enum class FoldKind { contiguous, stratified, shuffled };

/// "contiguous", "stratified", "shuffled"; throws an input error with the nearest word.
FoldKind parse_fold_kind(const std::string& word);

/// Splits samples 0 ... n-1 into k parts whose sizes differ by at most one:
///   contiguous  fold f is round(f n / k) ... round((f + 1) n / k) - 1 (ties to even, numpy's round(linspace(0, n, k + 1)))
///   stratified  the samples of each class, in order, are dealt to the folds in turn, each class going on where the last
///               one stopped: class counts too differ by at most one
///   shuffled    a random permutation (seed, random_purpose_shuffled_folds) cut like contiguous, each part sorted
/// Throws an input error if k < 2 or k > n.
FoldSplit make_folds(FoldKind kind, int k, const Vector<const int>& label, std::uint64_t seed);

}  // namespace krossfold::data
