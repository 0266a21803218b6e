// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "krossfold/data/folds.hpp"

namespace krossfold::data {

/// A bootstrap sample (Efron, Annals of Statistics 7 (1979) 1; bagging: Breiman, Machine Learning 24 (1996) 123) that
/// supports cross-validation: it is drawn fold by fold, so that all copies of a sample stay in its own fold. If it were
/// drawn from all samples and then cut into folds, most held-out samples would have copies in the training part, and
/// validation would reward memorisation.
///
/// Validation uses the draws of the held-out fold, not all samples of that fold. Both give an unbiased error estimate
/// for the fold's models, since neither was trained on and each draw is uniform over the fold. Using all samples would
/// halve the variance, but they include those never drawn, which must stay unseen by every choice this bootstrap makes
/// so that they test its final model without bias (Breiman, "Out-of-bag estimation", 1996).
struct Bootstrap {
  std::vector<std::vector<int>>
      drawn;  ///< (fold): samples of the fold, as many as it holds unless they have groups, ascending, with repetitions

  int folds() const { return static_cast<int>(drawn.size()); }
  /// The samples that validate the models of a fold: its draws.
  const std::vector<int>& held_out(int fold) const { return drawn[fold]; }
  /// The samples that train the models of a fold: the draws of all other folds, ascending.
  std::vector<int> training(int fold) const;
  /// The samples that train the final model: all draws, ascending.
  std::vector<int> all() const;
  /// The samples of 0 ... n-1 that were never drawn, ascending: in a fold of m, an expected share (1 - 1/m)^m ~ 1/e.
  std::vector<int> out_of_bag(int n) const;
};

/// Draws with replacement, from each fold of `split`, as many samples as it holds: draw i of fold f is sample
/// random_below(stream, i, m) of its m samples, with stream {seed, random_purpose_bootstrap, bootstrap, f}. Earlier
/// draws have no influence. If samples have groups (group: (sample); empty for none), which lie in one fold each, whole groups
/// are drawn, as many as the fold has, so that no group is both drawn and out of bag (the cluster bootstrap: Field, Welsh,
/// J. R. Statist. Soc. B 69 (2007) 369). Throws an input error if `bootstrap` or a fold index exceeds StreamId's 16 bits.
Bootstrap draw_bootstrap(const FoldSplit& split, std::uint64_t seed, int bootstrap,
                         const Vector<const int>& group = {});

}  // namespace krossfold::data
