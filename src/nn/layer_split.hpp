// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How a network's weights are split over several workers.

#include <cstdint>
#include <vector>

#include "krossfold/nn/architecture.hpp"
#include "krossfold/nn/exchange.hpp"

namespace krossfold::nn {

/// The inputs of a dense layer on one worker.
struct InputRange {
  std::int64_t first, count;
};

inline Share channels_of(const Architecture& architecture, int part, int parts) {
  return share_of(architecture.channels, part, parts);
}

/// The input range of worker `part` of `parts` in each dense layer.
inline std::vector<InputRange> input_ranges(const Architecture& architecture, int part, int parts) {
  std::vector<InputRange> ranges;
  if (architecture.channels > 0) {
    const std::int64_t positions = architecture.dense_inputs() / architecture.channels;
    const Share own = channels_of(architecture, part, parts);
    ranges.push_back({own.first * positions, own.count * positions});
  } else {
    const Share own = share_of(static_cast<int>(architecture.features()), part, parts);
    ranges.push_back({own.first, own.count});
  }
  for (const int units : architecture.hidden) {
    const Share own = share_of(units, part, parts);
    ranges.push_back({own.first, own.count});
  }
  return ranges;
}

}  // namespace krossfold::nn
