// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "krossfold/data/folds.hpp"

namespace krossfold::data {

/// A bootstrap sample (Efron, Annals of Statistics 7 (1979) 1; bagging: Breiman, Machine Learning 24 (1996) 123) that can be
/// cross-validated: it is drawn fold by fold, so that copies of a sample always lie in its own fold. Drawn from all samples
/// and cut into folds afterwards, most samples of a held-out part would have copies in the training part, and validation
/// would reward models that remember.
///
/// Validation takes the draws of the held-out fold, not all samples of that fold. Either estimates the error of the fold's
/// models without bias: none of these samples was trained on, and a draw is any sample of the fold equally likely. All
/// samples of the fold would do so with about half the variance, but they hold those that were never drawn. These stay
/// unseen by everything that this bootstrap chooses, and so test its final model without bias (Breiman, "Out-of-bag
/// estimation", 1996).
struct Bootstrap {
  std::vector<std::vector<int>> drawn;  ///< (fold): as many samples as held out there, ascending; copies repeated

  int folds() const { return static_cast<int>(drawn.size()); }
  /// What validates the models of a fold: its draws.
  const std::vector<int>& held_out(int fold) const { return drawn[fold]; }
  /// What trains the models of a fold: the draws of all others, ascending.
  std::vector<int> training(int fold) const;
  /// What the final model is trained on: all draws, ascending.
  std::vector<int> all() const;
  /// The samples 0 ... n-1 that were never drawn, ascending: a share of (1 - 1/m)^m in a fold of m, about 1/e.
  std::vector<int> out_of_bag(int n) const;
};

/// Draws from each fold of `split` as many samples as it holds, with replacement: draw i of fold f is sample
/// random_below(stream, i, m) of its m, stream {seed, random_purpose_bootstrap, bootstrap, f}. What else was drawn before
/// is without effect. Throws an input error for a bootstrap or a number of folds that StreamId cannot tell apart (0 ... 65535).
Bootstrap draw_bootstrap(const FoldSplit& split, std::uint64_t seed, int bootstrap);

}  // namespace krossfold::data
