// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/stages.hpp"

#include <algorithm>
#include <limits>

#include "krossfold/core/text.hpp"

namespace krossfold::studies {

std::vector<SvmStage> svm_stages(int rounds, bool refit) {
  std::vector<SvmStage> stages{{svm_unit_fold, 0, "search"}};
  for (int r = 1; r <= rounds; ++r) stages.push_back({svm_unit_refine, r, text("round ", r)});
  stages.push_back({svm_unit_out_of_fold, 0, "out-of-fold"});
  if (refit) stages.push_back({svm_unit_refit, 0, "refit"});
  return stages;
}

int svm_stage(const UnitKey& key) {
  constexpr int last = std::numeric_limits<int>::max();
  switch (key.kind) {
    case svm_unit_fold:
    case svm_unit_nested:
      return 0;
    case svm_unit_refine:
      return key.index[0];
    case svm_unit_out_of_fold:
    case svm_unit_outer:
      return last - 1;
    default:
      return last;
  }
}

double SvmUnits::path_cost(std::size_t cs) const {
  const double n = samples, held = n * repeats / folds, train = n - held;
  return train * train + 2.0 * static_cast<double>(cs) * classes * train * held;
}

std::int64_t SvmUnits::affinity(double value) const {
  for (std::size_t r = 0; r < gamma.size(); ++r) {
    const auto found = std::find(gamma[r].begin(), gamma[r].end(), value);
    if (found != gamma[r].end()) return static_cast<std::int64_t>(r) * 10001 + (found - gamma[r].begin());
  }
  return -1;
}

std::int64_t SvmUnits::affinity(const Cell& cell) const {
  return affinity(gamma[static_cast<std::size_t>(cell.round)][static_cast<std::size_t>(cell.gamma)]);
}

std::vector<Unit> SvmUnits::search(int round, std::size_t cs) const {
  const std::vector<double>& values = gamma[static_cast<std::size_t>(round)];
  const double last = static_cast<double>(values.size()) - 1;
  std::vector<Unit> units;
  for (int g = 0; g < static_cast<int>(values.size()); ++g) {
    const double cost = path_cost(cs) * relative_cost(last > 0 ? g / last : 0.5);
    const std::int64_t of_gamma = affinity(values[static_cast<std::size_t>(g)]);
    for (int f = 0; f < folds; ++f) {
      const UnitKey key = round == 0 ? UnitKey{svm_unit_fold, {g, f, 0}} : UnitKey{svm_unit_refine, {round, g, f}};
      units.push_back({.key = key, .cost = cost, .affinity = of_gamma});
    }
  }
  return units;
}

std::vector<Unit> SvmUnits::nested(int outer, std::size_t cs) const {
  const double smaller = 1 - 1.0 / outer_folds;
  std::vector<Unit> units;
  for (Unit unit : search(0, cs)) {
    if (unit.key.index[1] >= folds / repeats) continue;  // the inner folds are not repeated
    unit.key = {svm_unit_nested, {outer, unit.key.index[0], unit.key.index[1]}};
    unit.cost *= smaller * smaller;
    units.push_back(std::move(unit));
  }
  return units;
}

Unit SvmUnits::outer_test(int outer, const Cell& cell) const {
  const UnitKey key{svm_unit_outer, {outer, cell.gamma, cell.c}};
  return {.key = key, .cost = path_cost(static_cast<std::size_t>(cell.c) + 1), .affinity = affinity(cell)};
}

std::vector<Unit> SvmUnits::out_of_fold(const Cell& cell, std::size_t cs) const {
  const double cost = path_cost(static_cast<std::size_t>(cell.c) + 1);
  std::vector<Unit> units;
  for (int f = 0; f < folds; ++f) {
    const UnitKey key{svm_unit_out_of_fold, {cell.round, cell.gamma * static_cast<int>(cs) + cell.c, f}};
    units.push_back({.key = key, .cost = cost, .affinity = affinity(cell)});
  }
  return units;
}

Unit SvmUnits::refit(const Cell& cell) const {
  const UnitKey key{svm_unit_refit, {cell.gamma, cell.c, cell.round}};
  return {.key = key, .cost = static_cast<double>(samples) * samples, .affinity = affinity(cell)};
}

}  // namespace krossfold::studies
