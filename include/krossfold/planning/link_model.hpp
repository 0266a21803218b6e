// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace krossfold::planning {

/// A message between ranks takes latency + bytes / bandwidth (Hockney, Parallel Computing 20 (1994) 389).
struct Link {
  double latency = 5e-6;   ///< seconds
  double bandwidth = 5e9;  ///< bytes a second
};

/// A training as it was measured: the times of its steps, and what its ranks exchange in a step.
struct MeasuredSteps {
  int workers = 1, ranks = 1;            ///< `ranks` computed the steps
  bool measured = true;                  ///< false if some epochs were computed on other numbers of ranks
  bool gathers_on_root = false;          ///< strategy data-parallel
  double steps = 0;                      ///< per epoch
  double seconds = 0, comm_seconds = 0;  ///< per epoch: time of its steps, and the exchange's part of it
  double summed = 0;                     ///< floats per step that are summed over the workers
  double gathered = 0;                   ///< floats per step of which each worker computes a part and gets all
  int sums = 0, gathers = 0;             ///< collective operations per step
  double replicated = 0;                 ///< share of one rank's computation that every rank repeats
  int max_ranks = 0;                     ///< most ranks that a step has work for; 0 for no limit
};

/// Bytes that one rank sends per step on `ranks` ranks. A sum is a reduce-scatter of the shards' numbers plus an all-gather
/// (parallel/ordered_sum.hpp), or a gather to the root plus a broadcast; a gather sends a rank's part to all others. There
/// are as many workers as measured, but at least one per rank.
double bytes_sent(const MeasuredSteps& measured, int ranks);

/// Messages that a rank waits for per step, one after another: from each other rank two for a sum and one for a gather.
double messages(const MeasuredSteps& measured, int ranks);

/// The link of this latency that explains the measured exchange; none if a single rank was measured.
std::optional<Link> measured_link(const MeasuredSteps& measured, double latency = Link().latency);

/// Computing time of an epoch's steps on R ranks: that of one rank times p + (1 - p) / R, where p is the replicated share.
double computing_seconds(const MeasuredSteps& measured, int ranks);

/// Seconds of an epoch's steps on `ranks` ranks: computing_seconds() plus
/// steps (messages latency + bytes_sent / bandwidth) for the exchange.
double epoch_seconds(const MeasuredSteps& measured, int ranks, const Link& link);

}  // namespace krossfold::planning
