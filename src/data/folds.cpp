// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/folds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "krossfold/core/error.hpp"
#include "krossfold/core/random.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::data {
namespace {

/// In the order of FoldKind.
const std::array<std::string, 6> kind_names = {"contiguous",          "stratified",    "shuffled",
                                               "stratified-shuffled", "leave-one-out", "group"};

std::vector<int> in_order(int n) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// numpy.round(numpy.linspace(0, n, k + 1)) with the same step and rounding, so that the bounds agree even at ties.
std::vector<int> fold_bounds(int n, int k) {
  const double step = static_cast<double>(n) / k;
  std::vector<int> bounds(static_cast<std::size_t>(k) + 1);
  for (int f = 0; f < k; ++f) bounds[f] = static_cast<int>(std::nearbyint(f * step));
  bounds[k] = n;
  return bounds;
}

FoldSplit cut(const std::vector<int>& order, int k) {
  const std::vector<int> bounds = fold_bounds(static_cast<int>(order.size()), k);
  FoldSplit split;
  for (int f = 0; f < k; ++f) {
    split.held.emplace_back(order.begin() + bounds[f], order.begin() + bounds[f + 1]);
    std::sort(split.held.back().begin(), split.held.back().end());
  }
  return split;
}

/// Deals the samples of each class, in the given order, to the folds in turn.
FoldSplit deal(std::vector<int> by_class, const Vector<const int>& label, int k) {
  std::stable_sort(by_class.begin(), by_class.end(), [&](int a, int b) { return label(a) < label(b); });
  FoldSplit split;
  split.held.resize(k);
  int next = 0;
  for (const int sample : by_class) {
    split.held[next].push_back(sample);
    next = next + 1 == k ? 0 : next + 1;
  }
  for (auto& held : split.held) std::sort(held.begin(), held.end());
  return split;
}

/// How many folds lack a class, and which classes are lacking anywhere.
struct Lack {
  explicit Lack(std::size_t classes) : lacking(classes, false) {}

  template <class Predicate>
  void add(Predicate&& is_lacking) {
    bool any = false;
    for (std::size_t c = 0; c < lacking.size(); ++c) {
      if (!is_lacking(c)) continue;
      lacking[c] = any = true;
    }
    folds += any ? 1 : 0;
  }
  /// "class a", or "classes a, b, c, d, e and 7 more".
  std::string names(const std::vector<std::string>& class_name) const {
    const auto count = std::count(lacking.begin(), lacking.end(), true);
    std::string all;
    int named = 0;
    for (std::size_t c = 0; c < lacking.size() && named < 5; ++c) {
      if (lacking[c]) all += (named++ == 0 ? "" : ", ") + class_name[c];
    }
    return text(count == 1 ? "class " : "classes ", all, count > named ? text(" and ", count - named, " more") : "");
  }

  int folds = 0;
  std::vector<bool> lacking;
};

}  // namespace

std::vector<int> FoldSplit::training(int fold, int n) const {
  const std::vector<int>& out = held[fold];
  std::vector<int> in;
  in.reserve(static_cast<std::size_t>(n) - out.size());
  auto skip = out.begin();
  for (int i = 0; i < n; ++i) {
    if (skip != out.end() && *skip == i) {
      ++skip;
    } else {
      in.push_back(i);
    }
  }
  return in;
}

FoldKind parse_fold_kind(const std::string& word) {
  const auto found = std::find(kind_names.begin(), kind_names.end(), word);
  if (found != kind_names.end()) return static_cast<FoldKind>(found - kind_names.begin());
  throw_unknown_word("fold-kind", word, {kind_names.begin(), kind_names.end()},
                     "contiguous, stratified, shuffled, stratified-shuffled, leave-one-out or group");
}

FoldSplit make_folds(FoldKind kind, int k, const Vector<const int>& label, std::uint64_t seed) {
  const int n = static_cast<int>(label.extent(0));
  if (kind == FoldKind::leave_one_out) k = n;
  require(k >= 2, text(k, " folds are too few"), "cross-validation needs at least two folds", "");
  require(k <= n, text(k, " folds are more than the ", n, " training samples"), "every fold needs a sample",
          text("Use at most ", n, " folds."));
  switch (kind) {
    case FoldKind::stratified:
      return deal(in_order(n), label, k);
    case FoldKind::stratified_shuffled:
      return deal(random_permutation({.seed = seed, .purpose = random_purpose_stratified_folds}, n), label, k);
    case FoldKind::shuffled:
      return cut(random_permutation({.seed = seed, .purpose = random_purpose_shuffled_folds}, n), k);
    case FoldKind::group:
      throw_run_error("folds by group need the groups");
    default:
      return cut(in_order(n), k);
  }
}

FoldSplit split_folds(const Dataset& train, FoldKind kind, int k, std::uint64_t seed) {
  if (train.group.extent(0) == 0) {
    require(kind != FoldKind::group, text("fold-kind group needs groups, and ", train.name, " has none"), "",
            "Name their column with group.");
    return make_folds(kind, k, train.label, seed);
  }
  require(kind == FoldKind::group || kind == FoldKind::stratified_shuffled,
          text("fold-kind ", kind_names[static_cast<std::size_t>(kind)], " would tear groups apart"),
          text("the samples of ", train.name, " have groups"), "Use fold-kind group.");
  return make_group_folds(k, train.label, train.group, StreamId{.seed = seed, .purpose = random_purpose_group_folds});
}

std::vector<int> fold_sizes(FoldKind kind, int k, int n) {
  if (kind == FoldKind::leave_one_out) return std::vector<int>(n, 1);
  const bool dealt = kind == FoldKind::stratified || kind == FoldKind::stratified_shuffled;
  const std::vector<int> bounds = fold_bounds(n, k);
  std::vector<int> sizes;
  for (int f = 0; f < k; ++f) sizes.push_back(dealt ? n / k + (f < n % k ? 1 : 0) : bounds[f + 1] - bounds[f]);
  return sizes;
}

std::vector<std::string> missing_classes(const FoldSplit& split, const Vector<const int>& label,
                                         const std::vector<std::string>& class_name) {
  const std::size_t classes = class_name.size(), folds = split.held.size();
  std::vector<std::size_t> all(classes, 0);
  for (std::size_t i = 0; i < label.extent(0); ++i) ++all[label(i)];
  Lack untrained(classes), unmeasured(classes);
  for (const std::vector<int>& held : split.held) {
    std::vector<std::size_t> here(classes, 0);
    for (const int i : held) ++here[label(i)];
    untrained.add([&](std::size_t c) { return all[c] > 0 && here[c] == all[c]; });
    unmeasured.add([&](std::size_t c) { return all[c] >= folds && here[c] == 0; });
  }
  std::vector<std::string> sentences;
  if (untrained.folds > 0) {
    sentences.push_back(text(untrained.folds, " of ", folds, " folds train without ", untrained.names(class_name),
                             " and so cannot predict it; fold-kind stratified-shuffled shares every class"));
  }
  if (unmeasured.folds > 0 && folds < label.extent(0)) {
    sentences.push_back(text(unmeasured.folds, " of ", folds, " folds hold out no sample of ",
                             unmeasured.names(class_name),
                             " and so do not measure it; fold-kind stratified-shuffled shares every class"));
  }
  return sentences;
}

}  // namespace krossfold::data
