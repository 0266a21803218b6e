// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/unit_queue.hpp"

#include <algorithm>
#include <tuple>

#include "krossfold/core/random.hpp"

namespace krossfold::parallel {

bool UnitQueue::Before::operator()(const Unit& a, const Unit& b) const {
  return std::tuple(-std::int64_t{a.priority}, -a.cost, a.key) < std::tuple(-std::int64_t{b.priority}, -b.cost, b.key);
}

void UnitQueue::add(std::vector<Unit> units, int origin) {
  size_ += static_cast<int>(units.size());
  if (params_.schedule != Schedule::dynamic) {
    split(std::move(units), origin);
    return;
  }
  for (Unit& unit : units) {
    Group& group = group_[unit.affinity];
    group.cost += unit.cost;
    group.waiting.insert(std::move(unit));
  }
}

int UnitQueue::share_of(int rank) const {
  return params_.schedule == Schedule::node_static ? params_.node[static_cast<std::size_t>(rank)] : rank;
}

void UnitQueue::split(std::vector<Unit> units, int origin) {
  if (units.size() == 1 && origin >= 0) {
    share_[share_of(origin)].push_back(std::move(units[0]));
    return;
  }
  const std::size_t n = units.size();
  std::sort(units.begin(), units.end(), [](const Unit& a, const Unit& b) { return a.key < b.key; });
  std::vector<int> order(n);
  for (std::size_t k = 0; k < n; ++k) order[k] = static_cast<int>(k);
  if (params_.schedule == Schedule::shuffled) {
    const StreamId stream{.seed = params_.seed,
                          .purpose = random_purpose_shuffled_units,
                          .trial = static_cast<std::uint32_t>(batches_++)};
    order = random_permutation(stream, static_cast<int>(n));
  }
  std::size_t shares = params_.node.size();
  if (params_.schedule == Schedule::node_static) {
    shares = static_cast<std::size_t>(*std::max_element(params_.node.begin(), params_.node.end())) + 1;
  }
  if (n == 1) {  // in a resumed study the rank that made it ready is unknown
    share_[static_cast<int>(batches_++ % shares)].push_back(std::move(units[0]));
    return;
  }
  for (std::size_t s = 0; s < shares; ++s) {
    for (std::size_t k = s * n / shares; k < (s + 1) * n / shares; ++k) {
      share_[static_cast<int>(s)].push_back(std::move(units[static_cast<std::size_t>(order[k])]));
    }
  }
}

std::optional<Unit> UnitQueue::take(int rank) {
  std::optional<Unit> unit = params_.schedule == Schedule::dynamic ? take_dynamic(rank) : take_share(rank);
  if (unit) --size_;
  return unit;
}

std::optional<Unit> UnitQueue::take_share(int rank) {
  auto& share = share_[share_of(rank)];
  if (share.empty()) return std::nullopt;
  Unit unit = std::move(share.front());
  share.pop_front();
  return unit;
}

std::optional<Unit> UnitQueue::take_dynamic(int rank) {
  const auto own = held_.find(rank);
  const std::int64_t mine = own == held_.end() ? -1 : own->second;
  const double fair = expected_left() / static_cast<double>(params_.node.size());
  // Ordered by the priority of the first unit; then own group, overloaded, unheld, held by others; then most work left,
  // where a unit without affinity counts alone. Ties go to the lowest affinity.
  const auto rank_of = [&](std::int64_t affinity, const Group& group) {
    const Unit& first = *group.waiting.begin();
    const double work = (affinity >= 0 ? group.cost : first.cost) * ratio_of(affinity);
    int claim = 1;
    if (affinity >= 0 && group.holders > 0) claim = work > fair * group.holders ? 2 : 0;
    if (affinity >= 0 && affinity == mine) claim = 3;
    return std::tuple(first.priority, claim, work);
  };
  auto best = group_.end();
  for (auto group = group_.begin(); group != group_.end(); ++group) {
    if (group->second.waiting.empty()) continue;
    if (best == group_.end() || rank_of(group->first, group->second) > rank_of(best->first, best->second)) best = group;
  }
  if (best == group_.end()) return std::nullopt;
  auto& [affinity, group] = *best;
  Unit unit = std::move(group.waiting.extract(group.waiting.begin()).value());
  group.cost = group.waiting.empty() ? 0 : group.cost - unit.cost;
  if (affinity >= 0) hold(rank, affinity);  // units without affinity leave the held one unchanged
  return unit;
}

void UnitQueue::hold(int rank, std::int64_t affinity) {
  const auto [held, is_new] = held_.try_emplace(rank, affinity);
  if (!is_new) --group_[held->second].holders;
  held->second = affinity;
  ++group_[affinity].holders;
}

double UnitQueue::ratio_of(std::int64_t affinity) const {
  const auto known = ratio_.find(affinity);
  const Ratio& ratio = affinity >= 0 && known != ratio_.end() ? known->second : total_;
  return ratio.known() ? ratio.seconds / ratio.cost : 1;
}

void UnitQueue::measured(const Unit& unit, double seconds) {
  for (Ratio* ratio : {&total_, &ratio_[unit.affinity]}) {
    ratio->seconds += seconds;
    ratio->cost += unit.cost;
  }
}

double UnitQueue::expected_left() const {
  double sum = 0;
  for (const auto& [affinity, group] : group_) sum += group.cost * ratio_of(affinity);
  for (const auto& [rank, share] : share_) {
    for (const Unit& unit : share) sum += expected(unit);
  }
  return sum;
}

}  // namespace krossfold::parallel
