// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/parallel/communicator.hpp"
#include "krossfold/parallel/task_farm.hpp"

namespace krossfold::parallel {

/// Computes each unit on several ranks together: all ranks of a gang call run() with the same unit. It must throw on
/// all of them or none (on_all(), on_root()): an error on one rank would leave the others waiting, so it aborts the
/// job. Only the first rank's records are used, and only its context signals a stop: see agree().
struct GangExecutor {
  virtual ~GangExecutor() = default;
  virtual std::vector<Record> run(const Communicator& gang, const Unit& unit, UnitContext& context) = 0;
};

/// The first rank's `mine`, on all ranks of the gang. Takes a few microseconds. Collective.
bool agree(const Communicator& gang, bool mine);

/// Every rank's `mine`, on all ranks of the gang. Collective.
std::vector<std::int64_t> gather_numbers(const Communicator& gang, std::int64_t mine);

/// Computes all units of a study with gangs of `width` consecutive ranks each: a farm (task_farm.hpp) whose workers are
/// the first ranks of the gangs. Left-over ranks stay idle. Collective; the records are on rank 0, `finished` is on all
/// ranks. Throws a run error if width > 1 and MPI lacks MPI_THREAD_MULTIPLE, which rank 0 needs to manage the farm and
/// compute.
FarmOutcome run_gangs(const Communicator& comm, int width, FarmRoot* root, GangExecutor& executor, CheckpointSink& sink,
                      const FarmParams& params);

}  // namespace krossfold::parallel
