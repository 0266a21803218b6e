// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/bootstrap.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "krossfold/core/error.hpp"
#include "krossfold/core/random.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::data {
namespace {

std::vector<int> joined(const std::vector<std::vector<int>>& drawn, int without) {
  std::vector<int> joint;
  for (int f = 0; f < static_cast<int>(drawn.size()); ++f) {
    if (f != without) joint.insert(joint.end(), drawn[f].begin(), drawn[f].end());
  }
  std::sort(joint.begin(), joint.end());
  return joint;
}

/// The samples of each group, in the order of their first samples; each sample alone if there are no groups.
std::vector<std::vector<int>> drawn_together(const std::vector<int>& samples, const Vector<const int>& group) {
  std::vector<std::vector<int>> together;
  std::map<int, std::size_t> place;
  for (const int i : samples) {
    if (group.extent(0) == 0) {
      together.push_back({i});
      continue;
    }
    const auto [found, added] = place.emplace(group(i), together.size());
    if (added) together.emplace_back();
    together[found->second].push_back(i);
  }
  return together;
}

}  // namespace

std::vector<int> Bootstrap::training(int fold) const { return joined(drawn, fold); }

std::vector<int> Bootstrap::all() const { return joined(drawn, -1); }

std::vector<int> Bootstrap::out_of_bag(int n) const {
  std::vector<bool> seen(n, false);
  for (const auto& of_fold : drawn) {
    for (const int sample : of_fold) seen[sample] = true;
  }
  std::vector<int> never;
  for (int i = 0; i < n; ++i) {
    if (!seen[i]) never.push_back(i);
  }
  return never;
}

Bootstrap draw_bootstrap(const FoldSplit& split, std::uint64_t seed, int bootstrap, const Vector<const int>& group) {
  constexpr int most = std::numeric_limits<std::uint16_t>::max();
  if (bootstrap < 0 || bootstrap > most) {
    throw_input_error(text("bootstrap ", bootstrap, " is not in 0 ... ", most),
                      "its random numbers would repeat others", text("use at most ", most + 1, " bootstraps"));
  }
  if (split.folds() > most + 1) {
    throw_input_error(text(split.folds(), " folds are too many for bootstrap samples"),
                      "their random numbers would repeat", text("use at most ", most + 1, " folds"));
  }
  Bootstrap sample;
  for (int f = 0; f < split.folds(); ++f) {
    const StreamId stream{.seed = seed,
                          .purpose = random_purpose_bootstrap,
                          .bootstrap = static_cast<std::uint16_t>(bootstrap),
                          .fold = static_cast<std::uint16_t>(f)};
    std::vector<int> drawn;
    const std::vector<std::vector<int>> from = drawn_together(split.held[f], group);
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::vector<int>& one = from[random_below(stream, i, from.size())];
      drawn.insert(drawn.end(), one.begin(), one.end());
    }
    std::sort(drawn.begin(), drawn.end());
    sample.drawn.push_back(std::move(drawn));
  }
  return sample;
}

}  // namespace krossfold::data
