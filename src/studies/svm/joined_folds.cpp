// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/joined_folds.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace krossfold::studies {

std::vector<Unit> JoinedFolds::join(const std::vector<Unit>& units, const std::vector<double>& gamma,
                                    const std::vector<double>& c) {
  const auto group_of = [&](UnitKey key) {
    key.index[fold_index(key)] /= together_;
    return key;
  };
  std::vector<Unit> all;
  for (auto first = units.begin(); first != units.end();) {
    const auto end =
        std::find_if(first, units.end(), [&](const Unit& unit) { return group_of(unit.key) != group_of(first->key); });
    all.push_back(*(end - 1));
    if (end - first > 1) {
      Unit& joined = all.back();
      PathInput path{gamma.at(static_cast<std::size_t>(joined.key.index[gamma_index(joined.key)])), c, {}};
      joined.cost = 0;
      for (auto unit = first; unit != end; ++unit) {
        path.folds.push_back(unit->key.index[fold_index(unit->key)]);
        joined.cost += unit->cost;
      }
      joined.input = path.to_bytes();
      others_[joined.key].assign(first, end - 1);
    }
    first = end;
  }
  return all;
}

std::vector<Unit> JoinedFolds::left_open(const UnitKey& key, const std::function<bool(const UnitKey&)>& has) const {
  std::vector<Unit> open;
  const auto found = others_.find(key);
  if (found == others_.end()) return open;
  std::copy_if(found->second.begin(), found->second.end(), std::back_inserter(open),
               [&](const Unit& unit) { return !has(unit.key); });
  return open;
}

int common_folds(const std::vector<std::int64_t>& planned, std::int64_t gammas, int folds) {
  const auto ranks = static_cast<std::int64_t>(planned.size());
  int together = static_cast<int>(*std::min_element(planned.begin(), planned.end()));
  while (together > 1 && gammas * ((folds + together - 1) / together) < ranks) --together;
  return std::max(together, 1);
}

}  // namespace krossfold::studies
