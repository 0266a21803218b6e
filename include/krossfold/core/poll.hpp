// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How a long computation is ended from outside.

#include <functional>
#include <utility>

#include "krossfold/core/stop_signal.hpp"

namespace krossfold {

/// Thrown by a poll to end a computation whose result is not wanted any more. Not an error: who made the poll catches it.
struct Stopped {};

/// What a long computation calls on its way, at least every 100 ms where it can; throws Stopped to end it. May be empty.
/// Has no influence on a result that is given.
using Poll = std::function<void()>;

inline void call(const Poll& poll) {
  if (poll) poll();
}

/// Ends a computation once a stop is requested. Each call is a look at the signal, and with it a sign of life.
inline Poll poll_of(StopSignal stop) {
  return [stop = std::move(stop)] {
    if (stop.stop_requested()) throw Stopped();
  };
}

}  // namespace krossfold
