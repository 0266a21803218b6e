// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/unit_queue.hpp"

#include <algorithm>
#include <set>

namespace krossfold::parallel {

void UnitQueue::add(const Unit& unit) { waiting_.push_back(unit); }

double UnitQueue::expected(const Unit& unit) const {
  const auto known = ratio_.find(unit.affinity);
  const Ratio& ratio = unit.affinity >= 0 && known != ratio_.end() ? known->second : total_;
  return ratio.cost > 0 && ratio.seconds > 0 ? unit.cost * ratio.seconds / ratio.cost : unit.cost;
}

double UnitQueue::expected_left() const {
  double sum = 0;
  for (const Unit& unit : waiting_) sum += expected(unit);
  return sum;
}

void UnitQueue::measured(const Unit& unit, double seconds) {
  for (Ratio* ratio : {&total_, &ratio_[unit.affinity]}) {
    ratio->seconds += seconds;
    ratio->cost += unit.cost;
  }
}

std::optional<Unit> UnitQueue::take(int rank) {
  if (waiting_.empty()) return std::nullopt;
  std::map<std::int64_t, double> work_left;
  for (const Unit& unit : waiting_) {
    if (unit.affinity >= 0) work_left[unit.affinity] += expected(unit);
  }
  std::set<std::int64_t> held_by_others;
  for (const auto& [other, affinity] : held_) {
    if (other != rank && affinity >= 0) held_by_others.insert(affinity);
  }
  const auto own = held_.find(rank);
  const std::int64_t mine = own == held_.end() ? -1 : own->second;

  // Best first: mine, then nobody's, then another's; then the group with most work; then the longest unit; then by key.
  const auto group_work = [&](const Unit& unit) {
    return unit.affinity >= 0 ? work_left[unit.affinity] : expected(unit);
  };
  const auto claim = [&](const Unit& unit) {
    if (unit.affinity >= 0 && unit.affinity == mine) return 2;
    return held_by_others.contains(unit.affinity) ? 0 : 1;
  };
  const auto better = [&](const Unit& a, const Unit& b) {
    if (claim(a) != claim(b)) return claim(a) > claim(b);
    if (group_work(a) != group_work(b)) return group_work(a) > group_work(b);
    if (a.affinity != b.affinity) return a.affinity < b.affinity;
    if (expected(a) != expected(b)) return expected(a) > expected(b);
    return a.key < b.key;
  };
  const auto best = std::min_element(waiting_.begin(), waiting_.end(), better);
  const Unit unit = *best;
  waiting_.erase(best);
  if (unit.affinity >= 0) held_[rank] = unit.affinity;  // other units leave what the rank keeps alone
  return unit;
}

}  // namespace krossfold::parallel
