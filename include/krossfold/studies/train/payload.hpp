// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/run/event_log.hpp"

namespace krossfold::studies {

/// The kind of the unit of a training: index {run, 0, 0}. Part of the journal: never renumber it.
inline constexpr std::uint32_t train_unit = 1;

/// The payload of a training.
struct TrainRecord {
  std::vector<double> loss;           ///< (epoch): mean training loss while training
  std::vector<double> held_out_loss;  ///< (epoch): after it, without dropout
  std::vector<double>
      held_out_error;  ///< (epoch): fraction of them whose class is not found; NaN for a character model
  std::vector<double> seconds,
      comm_seconds;                 ///< (epoch): of its steps; how much of that for the exchange, on the first rank
  std::vector<double> epoch_ranks;  ///< (epoch): that computed its steps; 0 for several numbers of them
  bool diverged = false;
  std::string reason;  ///< of the divergence
  int ranks = 1;
  struct ModelFile {
    std::string name;
    std::uint64_t checksum = 0;
  };
  std::vector<ModelFile> model;  ///< none if it diverged; several if its weights are split over ranks

  std::vector<run::LoggedEpoch> epochs() const;
  std::vector<std::byte> to_bytes() const;
  static TrainRecord from_bytes(std::span<const std::byte> bytes);
};

}  // namespace krossfold::studies
