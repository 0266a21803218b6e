// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace krossfold::parallel {

/// Notices ranks that show no sign of life for a time. A sign is a look at StopSignal in a unit, or any message while the
/// rank has no unit. All times are seconds of one clock.
class StallWatch {
public:
  /// No rank stalls if `timeout` is 0.
  StallWatch(int ranks, double timeout) : timeout_(timeout), rank_(static_cast<std::size_t>(ranks)) {}

  bool on() const { return timeout_ > 0; }
  /// How often a rank should report.
  double report_every() const { return timeout_ < 4 ? timeout_ / 4 : 1; }

  /// The rank was given a unit or handed one in.
  void turn(int rank, bool busy, double now);
  /// The rank has looked so often so far.
  void report(int rank, std::uint64_t looks, double now);

  /// A rank that has stalled, if there is one. A time in which nobody asked this does not count: then the process that watches
  /// was suspended itself, and perhaps all were.
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
