// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/unit.hpp"

namespace krossfold::run {

/// The record of a unit that was computed, with its results as payload.
inline Record done_record(const UnitKey& key, std::vector<std::byte> payload) {
  Record record;
  record.key = key;
  record.status = Status::done;
  record.payload = std::move(payload);
  return record;
}

/// The records that compute(poll) returns; none if the unit was stopped.
template <class Compute>
std::vector<Record> unless_stopped(const UnitContext& context, const Compute& compute) {
  if (context.stop.stop_requested()) return {};
  try {
    return compute(poll_of(context.stop));
  } catch (const Stopped&) {
    return {};
  }
}

}  // namespace krossfold::run
