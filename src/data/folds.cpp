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

FoldSplit deal(const Vector<const int>& label, int k) {
  std::vector<int> by_class(label.extent(0));
  std::iota(by_class.begin(), by_class.end(), 0);
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
  if (word == "contiguous") return FoldKind::contiguous;
  if (word == "stratified") return FoldKind::stratified;
  if (word == "shuffled") return FoldKind::shuffled;
  throw_unknown_word("fold-kind", word, {"contiguous", "stratified", "shuffled"}, "contiguous, stratified or shuffled");
}

FoldSplit make_folds(FoldKind kind, int k, const Vector<const int>& label, std::uint64_t seed) {
  const int n = static_cast<int>(label.extent(0));
  if (k < 2) throw_input_error(text(k, " folds are too few"), "cross-validation needs at least two folds", "");
  if (k > n) {
    throw_input_error(text(k, " folds are more than the ", n, " training samples"), "every fold needs a sample",
                      text("use at most ", n, " folds"));
  }
  if (kind == FoldKind::stratified) return deal(label, k);
  std::vector<int> order(n);
  if (kind == FoldKind::shuffled) {
    order = random_permutation({.seed = seed, .purpose = random_purpose_shuffled_folds}, n);
  } else {
    std::iota(order.begin(), order.end(), 0);
  }
  return cut(order, k);
}

std::vector<int> fold_sizes(FoldKind kind, int k, int n) {
  const std::vector<int> bounds = fold_bounds(n, k);
  std::vector<int> sizes;
  for (int f = 0; f < k; ++f) {
    sizes.push_back(kind == FoldKind::stratified ? n / k + (f < n % k ? 1 : 0) : bounds[f + 1] - bounds[f]);
  }
  return sizes;
}

}  // namespace krossfold::data
