// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/run/event_log.hpp"

namespace krossfold::studies {

/// The kind of a unit that is a training, with the index {run, 0, 0}. It is part of the journal: never renumber it.
inline constexpr std::uint32_t train_unit = 1;

/// The payload of a training.
struct TrainRecord {
  std::vector<double> loss;           ///< (epoch): mean training loss during it
  std::vector<double> held_out_loss;  ///< (epoch): after it, without dropout
  std::vector<double>
      held_out_error;                ///< (epoch): fraction of held-out samples misclassified; NaN for a character model
  std::vector<double> seconds;       ///< (epoch): time of its steps
  std::vector<double> comm_seconds;  ///< (epoch): part of that time for the exchange, on the first rank
  std::vector<double> epoch_ranks;   ///< (epoch): ranks that computed its steps; 0 if their number changed
  std::vector<double> validation_loss;   ///< (epoch): of the samples that validate; empty if there are none
  std::vector<double> validation_error;  ///< (epoch)
  int kept_epoch = 0;                    ///< from 1: its weights are those of the model; 0: those of the last one are
  std::vector<std::int32_t>
      prediction;  ///< (held-out sample): class by the model's weights, -1 for none; empty for names
  bool diverged = false;
  std::string reason;  ///< why it diverged
  int ranks = 1;
  struct ModelFile {
    std::string name;
    std::uint64_t checksum = 0;
  };
  std::vector<ModelFile> model;  ///< empty if it diverged; several if the weights are split over ranks

  /// Whether the last epoch is better on the samples that validate than the kept one: by fewer errors or, at equal errors, by a
  /// lower loss.
  bool last_is_best() const;
  /// Throws a run error if the numbers contradict one another, as in a damaged journal.
  void check_sizes() const;
  std::vector<run::LoggedEpoch> epochs() const;
  std::vector<std::byte> to_bytes() const;
  static TrainRecord from_bytes(std::span<const std::byte> bytes);
};

}  // namespace krossfold::studies
