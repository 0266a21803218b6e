// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace krossfold::parallel {

/// Detects ranks that report no progress for some time. Progress is a check of StopSignal within a unit, or any message
/// while the rank has no unit. All times are seconds on one clock.
class StallWatch {
public:
  /// A timeout of 0 disables the watch.
  StallWatch(int ranks, double timeout) : timeout_(timeout), rank_(static_cast<std::size_t>(ranks)) {}

  bool on() const { return timeout_ > 0; }
  /// How often a rank should report.
  double report_every() const { return timeout_ < 4 ? timeout_ / 4 : 1; }

  /// The rank was given a unit (busy) or has returned one.
  void turn(int rank, bool busy, double now);
  /// The rank has checked its StopSignal `looks` times so far.
  void report(int rank, std::uint64_t looks, double now);

  /// A rank that has stalled, if there is one. Time during which this was not called does not count: the watching
  /// process itself, and perhaps every process, was suspended.
  std::optional<int> stalled(double now);

private:
  struct Sign {
    double last = 0;
    std::uint64_t looks = 0;
    bool busy = false;
  };
  double timeout_, asked_ = 0;
  std::vector<Sign> rank_;
};

}  // namespace krossfold::parallel
