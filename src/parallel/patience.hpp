// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>

namespace krossfold::parallel {

/// How long a thread sleeps before it polls again for messages: brief_sleep, or 1/200 of the time since the last message where that
/// is longer, but at most long_sleep. A message thus waits for no more than a small share of what the units take that it comes between,
/// and a farm of long units does not wake thousands of times a second.
class Patience {
public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds brief_sleep{300}, long_sleep{5000};

  explicit Patience(Clock::time_point now = Clock::now()) : last_(now) {}
  void heard(Clock::time_point now = Clock::now()) { last_ = now; }
  std::chrono::microseconds sleep(Clock::time_point now = Clock::now()) const {
    return std::clamp(std::chrono::duration_cast<std::chrono::microseconds>(now - last_) / 200, brief_sleep,
                      long_sleep);
  }

private:
  Clock::time_point last_;
};

}  // namespace krossfold::parallel
