// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/parallel/schedule.hpp"

namespace krossfold::parallel {

/// The queue of waiting units, which decides which rank gets which unit.
///
/// With Schedule::dynamic, units of higher priority go first. At equal priority a rank keeps the affinity it holds as
/// long as that has units; then it helps a group (units of equal affinity) with more work left than its ranks can do in
/// their share of the remaining time; then it takes from the group with the most work left that no rank holds; then
/// from the group with the most work left. Within a group the longest expected unit goes first, ties by key. Expected
/// times are the given costs times the ratio of measured time to cost, of the same affinity where known, else of all
/// units so far. A claim costs O(groups + log units).
///
/// With the other schedules, units added together are split in advance, see Schedule; a rank whose share is empty waits
/// even if others have work left. These schedules exist to demonstrate that effect.
class UnitQueue {
public:
  explicit UnitQueue(QueueParams params = {}) : params_(std::move(params)) {}

  /// Adds units that became ready together; `origin` is the rank whose record made them ready, -1 for none. A single
  /// unit stays with its origin if the schedule splits.
  void add(std::vector<Unit> units, int origin = -1);
  bool empty() const { return size_ == 0; }
  int size() const { return size_; }

  /// The next unit for a rank; nothing if none waits for it.
  std::optional<Unit> take(int rank);

  /// Records the time a unit took.
  void measured(const Unit& unit, double seconds);

  /// Expected seconds (the cost if nothing has been measured yet) of all waiting units, or of one unit.
  double expected_left() const;
  double expected(const Unit& unit) const { return unit.cost * ratio_of(unit.affinity); }

private:
  struct Before {
    bool operator()(const Unit& a, const Unit& b) const;
  };
  struct Group {
    std::set<Unit, Before> waiting;
    double cost = 0;  ///< of the waiting units
    int holders = 0;  ///< ranks that hold this affinity
  };
  struct Ratio {
    double seconds = 0, cost = 0;
    bool known() const { return seconds > 0 && cost > 0; }
  };

  double ratio_of(std::int64_t affinity) const;
  int share_of(int rank) const;
  void split(std::vector<Unit> units, int origin);
  std::optional<Unit> take_share(int rank);
  std::optional<Unit> take_dynamic(int rank);
  void hold(int rank, std::int64_t affinity);

  QueueParams params_;
  int size_ = 0;
  std::map<std::int64_t, Group> group_;    ///< by affinity
  std::map<int, std::int64_t> held_;       ///< rank -> affinity of its last unit that had one
  std::map<int, std::deque<Unit>> share_;  ///< waiting units of each rank or node, for schedules that split
  std::map<std::int64_t, Ratio> ratio_;
  Ratio total_;
  std::uint64_t batches_ = 0;
};

}  // namespace krossfold::parallel
