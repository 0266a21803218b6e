// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"

namespace krossfold::study {

/// The kind of the unit of a training: index {0, 0, 0}. Part of the journal: never renumber it.
inline constexpr std::uint32_t train_unit = 1;

/// The payload of a training.
struct TrainRecord {
  std::vector<double> loss,
      held_out_loss;  ///< (epoch): mean training loss while training; after the epoch, without dropout
  std::vector<double> seconds,
      comm_seconds;  ///< (epoch): of its steps; how much of that for the exchange, on the first rank
  bool diverged = false;
  std::string reason;  ///< of the divergence
  int ranks = 1;
  std::string model_name;  ///< "" if it diverged
  std::uint64_t model_size = 0, model_checksum = 0;

  std::vector<std::byte> to_bytes() const;
  static TrainRecord from_bytes(std::span<const std::byte> bytes);
};

}  // namespace krossfold::study
