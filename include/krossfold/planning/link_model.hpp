// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace krossfold::planning {

/// What a message between ranks takes: latency + bytes / bandwidth (Hockney, Parallel Computing 20 (1994) 389).
struct Link {
  double latency = 5e-6;   ///< seconds
  double bandwidth = 5e9;  ///< bytes a second
};

/// A training as it was measured: what its steps took, and what its ranks exchange in one.
struct MeasuredSteps {
  int workers = 1, ranks = 1;            ///< ranks: that computed them
  bool measured = true;                  ///< false if other numbers of ranks computed some of the epochs
  bool gathers_on_root = false;          ///< data parallel
  double steps = 0;                      ///< of an epoch
  double seconds = 0, comm_seconds = 0;  ///< of an epoch's steps; of that for the exchange
  double summed = 0,
         gathered = 0;        ///< floats in a step: each worker has its own of those summed, a part of those gathered
  int sums = 0, gathers = 0;  ///< in a step
  double replicated = 0;      ///< share of one rank's computing that every rank does whole
  int max_ranks = 0;          ///< that there is work for; 0: no limit
};

/// Bytes that a rank sends in a step on so many ranks. Of what is summed each rank adds up a part: it sends the others their parts of its
/// shards' numbers, and its sums (parallel/ordered_sum.hpp). A root gets all numbers, and sends as many out. Of what is gathered it sends
/// its part to all. On more ranks than there were workers there is a worker for each.
double bytes_sent(const MeasuredSteps& measured, int ranks);

/// Messages that a rank waits for in a step, one after another: from each of the others, twice for a sum and once for a gather.
double messages(const MeasuredSteps& measured, int ranks);

/// The link that the measured exchange amounts to, with this latency; nothing for one rank.
std::optional<Link> measured_link(const MeasuredSteps& measured, double latency = Link().latency);

/// Seconds of computing in an epoch's steps on R ranks: with the replicated share p, those of one rank times p + (1 - p) / R.
double computing_seconds(const MeasuredSteps& measured, int ranks);

/// Seconds of an epoch's steps on `ranks` ranks: the computing, and
/// steps (messages latency + bytes_sent / bandwidth) for the exchange.
double epoch_seconds(const MeasuredSteps& measured, int ranks, const Link& link);

}  // namespace krossfold::planning
