// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Lets the caller end a long computation early.

#include <functional>
#include <utility>

#include "krossfold/core/stop_signal.hpp"

namespace krossfold {

/// Thrown by a poll to end a computation whose result is no longer wanted. Not an error: the poll's owner catches it.
struct Stopped {};

/// Callback that a long computation invokes at least every 100 ms where it can. It throws Stopped to end the
/// computation and never affects a returned result. May be empty.
using Poll = std::function<void()>;

inline void call(const Poll& poll) {
  if (poll) poll();
}

/// A poll that ends the computation once a stop is requested. Each call also counts as a heartbeat (see StopSignal).
inline Poll poll_of(StopSignal stop) {
  return [stop = std::move(stop)] {
    if (stop.stop_requested()) throw Stopped();
  };
}

}  // namespace krossfold
