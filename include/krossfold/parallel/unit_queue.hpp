// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "krossfold/core/unit.hpp"

namespace krossfold::parallel {

/// The units that wait, and who should get which.
///
/// A rank stays with the affinity it holds as long as there are units of it; then it takes from the group (units of equal
/// affinity) with the most work left that no other rank holds; then from the group with the most work left. Within a group
/// the longest expected unit goes first, ties by key. Expected times are the costs given, corrected by the ratio of
/// measured time to cost: of the same affinity where it is known, else of all units so far.
class UnitQueue {
public:
  void add(const Unit& unit);
  bool empty() const { return waiting_.empty(); }
  int size() const { return static_cast<int>(waiting_.size()); }

  /// The next unit for a rank; nothing if none waits.
  std::optional<Unit> take(int rank);

  /// Learns what a unit took.
  void measured(const Unit& unit, double seconds);

  /// Expected seconds (cost where nothing was measured yet) of all units that wait, or of one.
  double expected_left() const;
  double expected(const Unit& unit) const;

private:
  struct Ratio {
    double seconds = 0, cost = 0;
  };
  std::vector<Unit> waiting_;
  std::map<int, std::int64_t> held_;  ///< rank -> affinity of its last unit that had one
  std::map<std::int64_t, Ratio> ratio_;
  Ratio total_;
};

}  // namespace krossfold::parallel
