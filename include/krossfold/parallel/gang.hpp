// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/parallel/communicator.hpp"
#include "krossfold/parallel/task_farm.hpp"

namespace krossfold::parallel {

/// Computes units on several ranks together: every rank of a gang calls run() with the same unit at the same time. What it throws must
/// be thrown on all of them (on_all(), on_root()): an error of one rank alone would leave the others waiting, and ends the job with its message. Only the first rank's records count, and only its context has a stop
/// that is ever requested: see agree().
struct GangExecutor {
  virtual ~GangExecutor() = default;
  virtual std::vector<Record> run(const Communicator& gang, const Unit& unit, UnitContext& context) = 0;
};

/// What the first rank of a gang thinks, on all of its ranks: a few microseconds. Collective.
bool agree(const Communicator& gang, bool mine);

/// Every rank's number, on all ranks of the gang. Collective.
std::vector<std::int64_t> gather_numbers(const Communicator& gang, std::int64_t mine);

/// Computes all units of a study with gangs of `width` neighbouring ranks each: a farm (task_farm.hpp) whose workers are the first
/// ranks of the gangs. Ranks that are left over do nothing. Collective; the outcome's records are on rank 0, `finished` everywhere.
/// Throws a run error where width is above 1 and MPI does not let several threads call it at the same time: then rank 0 could not manage
/// the farm and compute.
FarmOutcome run_gangs(const Communicator& comm, int width, FarmRoot* root, GangExecutor& executor, CheckpointSink& sink,
                      const FarmParams& params);

}  // namespace krossfold::parallel
