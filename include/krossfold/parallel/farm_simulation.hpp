// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/parallel/unit_queue.hpp"

namespace krossfold::parallel {

/// A farm in virtual time: the ranks, and how they are served.
struct SimulatedFarm {
  QueueParams queue;          ///< its `node` has one entry for each rank
  std::vector<double> speed;  ///< (rank): a unit of t seconds takes t / speed; empty: all 1
  double claim_seconds = 0;   ///< from the end of a unit to the begin of the next on the same rank
  std::optional<double>
      root_claim_seconds;  ///< the same of rank 0, whose claims are no messages; unset: as the others'
};

struct SimulatedUnit {
  Unit unit;
  int rank = 0;
  double started = 0, seconds = 0;
};

struct Simulation {
  double makespan = 0;               ///< when the last unit ends
  double busy = 0;                   ///< sum over the ranks of the seconds they computed
  std::vector<SimulatedUnit> units;  ///< in the order of their start
  /// busy / (makespan x ranks), at most 1; 1 for a farm without work.
  double utilisation = 1;
};

/// What a farm would do with a study whose units take `seconds` (on a rank of speed 1). It uses the queue of the real farm:
/// the records it gives to the study have the status done and no payload.
Simulation simulate(Study& study, const std::function<double(const Unit&)>& seconds, const SimulatedFarm& farm);

}  // namespace krossfold::parallel
