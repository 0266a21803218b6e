// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/parallel/unit_queue.hpp"

namespace krossfold::parallel {

/// A farm in virtual time: its ranks and its scheduling.
struct SimulatedFarm {
  QueueParams queue;          ///< its `node` has one entry for each rank
  std::vector<double> speed;  ///< (rank): a unit of t seconds takes t / speed; empty: all 1
  double claim_seconds = 0;   ///< between the end of a unit and the start of the next on the same rank
  std::optional<double>
      root_claim_seconds;  ///< the same for rank 0, whose claims need no messages; unset: as for the others
  /// Time that the manager takes to answer a claim; it answers one after the other, so that those of many ranks wait.
  double manager_seconds = 0;
};

struct SimulatedUnit {
  Unit unit;
  int rank = 0;
  double started = 0, seconds = 0;
};

struct Simulation {
  double makespan = 0;               ///< when the last unit ends
  double busy = 0;                   ///< compute seconds summed over the ranks
  std::vector<SimulatedUnit> units;  ///< ordered by start time
  /// busy / (makespan x ranks), at most 1; 1 for a farm without work.
  double utilisation = 1;
};

/// Simulates a farm on a study whose units take `seconds` (on a rank of speed 1), with the queue of the real farm. The
/// records passed to the study have status done and no payload.
Simulation simulate(Study& study, const std::function<double(const Unit&)>& seconds, const SimulatedFarm& farm);

}  // namespace krossfold::parallel
