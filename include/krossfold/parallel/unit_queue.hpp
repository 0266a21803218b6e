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

/// The units that wait, and who should get which.
///
/// With Schedule::dynamic units of higher priority go first. Of equal priority a rank stays with the affinity it holds as
/// long as there are units of it; then it helps a group (units of equal affinity) with more work left than the ranks that hold
/// it can do in their share of the time left; then it takes from the group with the most work left that no other rank holds;
/// then from the group with the most work left. Within a group the longest expected unit goes first, ties by
/// key. Expected times are the costs given, corrected by the ratio of measured time to cost: of the same affinity where it
/// is known, else of all units so far. A claim costs O(groups + log units).
///
/// With the other schedules the units that are added together are split beforehand, see Schedule; a rank whose share is
/// empty waits though others have work left. That is what they are there to show.
class UnitQueue {
public:
  explicit UnitQueue(QueueParams params = {}) : params_(std::move(params)) {}

  /// Units that have become ready together; `origin` is the rank whose record made them ready, -1 for none. One alone
  /// stays with its origin if the schedule splits.
  void add(std::vector<Unit> units, int origin = -1);
  bool empty() const { return size_ == 0; }
  int size() const { return size_; }

  /// The next unit for a rank; nothing if none waits for it.
  std::optional<Unit> take(int rank);

  /// Learns what a unit took.
  void measured(const Unit& unit, double seconds);

  /// Expected seconds (cost where nothing was measured yet) of all units that wait, or of one.
  double expected_left() const;
  double expected(const Unit& unit) const { return unit.cost * ratio_of(unit.affinity); }

private:
  struct Before {
    bool operator()(const Unit& a, const Unit& b) const;
  };
  struct Group {
    std::set<Unit, Before> waiting;
    double cost = 0;  ///< of those that wait
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
  std::map<int, std::deque<Unit>> share_;  ///< what a schedule that splits gave to each rank or node
  std::map<std::int64_t, Ratio> ratio_;
  Ratio total_;
  std::uint64_t batches_ = 0;
};

}  // namespace krossfold::parallel
