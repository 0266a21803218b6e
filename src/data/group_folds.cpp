// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numeric>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/folds.hpp"

namespace krossfold::data {
namespace {

using Counts = std::vector<std::int64_t>;  ///< (class)

int one_more_than_largest(const Vector<const int>& values) {
  int count = 0;
  for (std::size_t i = 0; i < values.extent(0); ++i) count = std::max(count, values(i) + 1);
  return count;
}

/// n^2 times the variance of n whole numbers, which is exact.
double scaled_variance(const Counts& value) {
  double sum = 0, squares = 0;
  for (const std::int64_t one : value) {
    sum += static_cast<double>(one);
    squares += static_cast<double>(one) * static_cast<double>(one);
  }
  return static_cast<double>(value.size()) * squares - sum * sum;
}

/// The folds being filled.
class GroupDealer {
public:
  GroupDealer(int folds, const Counts& in_class)
      : in_class_(in_class), count_(folds, Counts(in_class.size(), 0)), samples_(folds, 0) {}

  /// The fold that a group with these samples of each class goes to.
  int deal(const Counts& group) {
    int best = 0;
    double least = std::numeric_limits<double>::infinity();
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    for (int f = 0; f < static_cast<int>(count_.size()); ++f) {
      const double uneven = unevenness(f, group);
      // As numpy.isclose: sums of square roots are equal only up to rounding.
      const bool close = std::abs(uneven - least) <= 1e-8 + 1e-5 * std::abs(least);
      if (!(uneven < least || (close && samples_[f] < fewest))) continue;
      best = f;
      least = uneven;
      fewest = samples_[f];
    }
    for (std::size_t c = 0; c < group.size(); ++c) count_[best][c] += group[c];
    samples_[best] += std::accumulate(group.begin(), group.end(), std::int64_t{0});
    return best;
  }

private:
  /// The mean over the classes of the standard deviation over the folds of the share of the class, with the group in `fold`.
  double unevenness(int fold, const Counts& group) const {
    const auto folds = static_cast<double>(count_.size());
    double sum = 0;
    Counts of_class(count_.size());
    for (std::size_t c = 0; c < group.size(); ++c) {
      if (in_class_[c] == 0) continue;
      for (std::size_t f = 0; f < count_.size(); ++f) of_class[f] = count_[f][c];
      of_class[static_cast<std::size_t>(fold)] += group[c];
      sum += std::sqrt(scaled_variance(of_class)) / folds / static_cast<double>(in_class_[c]);
    }
    return sum / static_cast<double>(group.size());
  }

  const Counts& in_class_;
  std::vector<Counts> count_;  ///< (fold, class)
  Counts samples_;             ///< (fold)
};

}  // namespace

FoldSplit make_group_folds(int k, const Vector<const int>& label, const Vector<const int>& group,
                           const std::optional<StreamId>& stream) {
  const int groups = one_more_than_largest(group), classes = one_more_than_largest(label);
  require(k >= 2, text(k, " folds are too few"), "cross-validation needs at least two folds", "");
  std::vector<Counts> count(groups, Counts(classes, 0));
  Counts in_class(classes, 0);
  for (std::size_t i = 0; i < label.extent(0); ++i) {
    ++count[group(i)][label(i)];
    ++in_class[label(i)];
  }
  std::vector<int> order(groups);
  std::iota(order.begin(), order.end(), 0);
  if (stream) order = random_permutation(*stream, groups);
  // A part of a data set may lack some of its groups.
  std::erase_if(order,
                [&](int g) { return std::all_of(count[g].begin(), count[g].end(), [](auto n) { return n == 0; }); });
  require(order.size() >= 2, "all samples to divide are of one group", "folds hold out whole groups",
          "Check which column is that of the groups; if the test part has the others, say --test-part none.");
  require(k <= static_cast<int>(order.size()), text(k, " folds are more than the ", order.size(), " groups to divide"),
          "every fold needs a group of its own", text("Use at most ", order.size(), " folds."));
  std::vector<double> variance(groups);
  const bool varied = stream && stream->trial > 0;
  for (const int g : order) {
    variance[g] = scaled_variance(count[g]);
    // Draws after those of the permutation.
    if (varied) variance[g] *= std::exp2(4 * random_uniform(*stream, static_cast<std::uint64_t>(groups) + g) - 2);
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return variance[a] > variance[b]; });

  GroupDealer dealer(k, in_class);
  std::vector<int> fold_of(groups, 0);
  for (const int g : order) fold_of[g] = dealer.deal(count[g]);
  FoldSplit split;
  split.held.resize(k);
  split.kind = FoldKind::group;
  for (std::size_t i = 0; i < label.extent(0); ++i) split.held[fold_of[group(i)]].push_back(static_cast<int>(i));
  require(std::none_of(split.held.begin(), split.held.end(), [](const auto& held) { return held.empty(); }),
          text(k, " folds cannot be made of these groups"), "one of them would be empty", "Use fewer folds.");
  return split;
}

}  // namespace krossfold::data
