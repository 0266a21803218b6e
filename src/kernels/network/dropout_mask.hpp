// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>

#include "krossfold/core/philox.hpp"
#include "krossfold/kernels/dropout.hpp"

namespace krossfold::kernels {

/// dropout() for kernels that compute one unit at a time.
struct DropoutMask {
  StreamId stream;
  const std::uint32_t* epoch;
  std::uint32_t least;  ///< a unit is dropped if its 16 bits are below this
  float scale;

  explicit DropoutMask(const DropoutParams& params)
      : stream(params.stream),
        epoch(params.epoch),
        least(static_cast<std::uint32_t>(std::lround(params.probability * 65536))),
        scale(static_cast<float>(1 / (1 - least / 65536.0))) {}

  KOKKOS_INLINE_FUNCTION StreamId stream_now() const {
    StreamId now = stream;
    if (epoch != nullptr) now.trial = *epoch;
    return now;
  }

  /// x / (1 - p) if the unit of this step of the sample is kept, else 0.
  KOKKOS_INLINE_FUNCTION float of(float x, std::int64_t sample, int step, int steps, int unit, int units) const {
    const int blocks = (units + 7) / 8, part = unit / blocks;
    const auto draw = static_cast<std::uint64_t>((sample * steps + step) * blocks + unit % blocks);
    const PhiloxWords words = philox_words(stream_now(), draw);
    // An index into the words would move them from registers to memory.
    const std::uint32_t low = part / 2 % 2 == 0 ? words.word[0] : words.word[1],
                        high = part / 2 % 2 == 0 ? words.word[2] : words.word[3], word = part < 4 ? low : high;
    return (word >> (part % 2 * 16) & 0xffffu) >= least ? x * scale : 0.0f;
  }
};

}  // namespace krossfold::kernels
