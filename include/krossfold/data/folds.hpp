// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "krossfold/core/random.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/data/dataset.hpp"

namespace krossfold::data {

enum class FoldKind { contiguous, stratified, shuffled, stratified_shuffled, leave_one_out, group };

/// A partition of the samples for k-fold cross-validation; fold f trains on everything except held[f].
struct FoldSplit {
  std::vector<std::vector<int>> held;  ///< (fold): the samples held out, ascending
  FoldKind kind = FoldKind::contiguous;
  int repeats = 1;  ///< so many partitions, one after the other, of folds() / repeats folds each

  int folds() const { return static_cast<int>(held.size()); }
  /// The complement of held[fold] in 0 ... n-1, ascending.
  std::vector<int> training(int fold, int n) const;
};

/// Which of several independent random partitions of one seed: `repeat` counts repetitions; `purpose` tells the folds of a
/// search (0) from those of nested cross-validation, its outer folds and (1 + o) the inner folds of outer fold o.
struct FoldDraw {
  std::uint32_t repeat = 0;
  std::uint16_t purpose = 0;
};
inline constexpr std::uint16_t outer_folds = 65535;

/// Parses "contiguous", "stratified", "shuffled", "stratified-shuffled", "leave-one-out" or "group"; throws an input error
/// that suggests the nearest of them.
FoldKind parse_fold_kind(const std::string& word);

/// Splits samples 0 ... n-1 into k parts whose sizes differ by at most one:
///   contiguous           fold f is round(f n / k) ... round((f + 1) n / k) - 1 (ties to even, as numpy.linspace with
///                        round)
///   stratified           the samples of each class are dealt to the folds in turn, each class continuing where the
///                        previous one stopped, so that the class counts also differ by at most one
///   shuffled             a random permutation (seed, random_purpose_shuffled_folds), cut like contiguous, with each part
///                        sorted
///   stratified-shuffled  like stratified, but the samples of each class are dealt in the order of a random permutation
///                        (seed, random_purpose_stratified_folds), and the classes follow one another in the order of
///                        another one (bootstrap 1 of that stream), so that no class is favoured
///   leave-one-out        each sample is a fold of its own; `k` is ignored
/// Throws an input error if k < 2 or k > n, or if there are fewer than two samples; a run error for `group`, which needs
/// make_group_folds().
FoldSplit make_folds(FoldKind kind, int k, const Vector<const int>& label, std::uint64_t seed, FoldDraw draw = {});

/// Splits samples into k parts so that all samples of a group (group: numbers from 0) are in the same part, and every part
/// has about the same share of each class. The groups, in the order of a random permutation (stream), then by descending
/// variance of their class counts, go one after the other to the part for which the standard deviation over the parts of a
/// class's share, averaged over the classes, becomes smallest; of nearly equal ones to the part with the fewest samples.
/// Groups of different sizes can be put into this order in one way only, and all seeds share them out alike; so that repetitions
/// are not all equal, those after the first (trial > 0 of the stream) multiply each variance with a random number in [1/4, 4).
/// Without the permutation these are the folds of sklearn.model_selection.StratifiedGroupKFold, but for their order and where it
/// decides by rounding between folds that are equally good.
/// Throws an input error if there are fewer than k groups.
FoldSplit make_group_folds(int k, const Vector<const int>& label, const Vector<const int>& group,
                           const std::optional<StreamId>& stream);

/// The folds of a training part: make_group_folds() if it has groups, else make_folds(). Throws an input error if it has
/// groups and `kind` is neither group nor stratified-shuffled, or if it has none and `kind` is group.
FoldSplit split_folds(const Dataset& train, FoldKind kind, int k, std::uint64_t seed, FoldDraw draw = {});

/// `repeats` such partitions, as sklearn.model_selection.RepeatedStratifiedKFold makes them. Throws an input error for a kind
/// that is not random, because all of them would be equal.
FoldSplit repeat_folds(const Dataset& train, FoldKind kind, int k, int repeats, std::uint64_t seed);

/// The folds of nested cross-validation: `outer`, and for each of its folds a partition of the other samples, by their numbers in
/// the whole. Throws an input error for leave-one-out.
struct NestedFolds {
  FoldSplit outer;
  std::vector<FoldSplit> inner;  ///< (outer fold)
};
NestedFolds nest_folds(const Dataset& train, FoldKind kind, int outer, int k, std::uint64_t seed);

/// 0 ... classes - 1 in a random order, which hangs on the stream but not on the permutation of it.
std::vector<int> random_class_order(StreamId stream, int classes);

/// "class a", or "classes a, b, c, d, e and 7 more".
std::string named_classes(const std::vector<std::string>& names);

/// How many of n samples make_folds() holds out in each fold.
std::vector<int> fold_sizes(FoldKind kind, int k, int n);

/// Warnings for the user: sentences of classes that folds train without, or with samples of weight 0 alone (`weight` is empty if there are
/// none), and of classes with at least as many samples as there are folds that folds hold out no sample of. `class_name` has the name of
/// each label.
std::vector<std::string> missing_classes(const FoldSplit& split, const Vector<const int>& label,
                                         const std::vector<std::string>& class_name,
                                         const Vector<const double>& weight = {});

/// The same for nested folds: a sentence of the outer folds that train without a class that others have, or one of whose inner folds does;
/// "" if there are none.
std::string missing_in_nested(const NestedFolds& nested, const Vector<const int>& label,
                              const std::vector<std::string>& class_name);

}  // namespace krossfold::data
