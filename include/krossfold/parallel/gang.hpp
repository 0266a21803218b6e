// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/parallel/communicator.hpp"
#include "krossfold/parallel/task_farm.hpp"

namespace krossfold::parallel {

/// The first rank's `mine`, on all ranks of the gang. Takes a few microseconds. Collective.
bool agree(const Communicator& gang, bool mine);

/// Every rank's `mine`, on all ranks of the gang. Collective.
std::vector<std::int64_t> gather_numbers(const Communicator& gang, std::int64_t mine);

/// run_farm() with gangs of `width` consecutive ranks: the workers of the farm are the first ranks of the gangs. Left-over
/// ranks stay idle. Collective; the records are on rank 0, `finished` is on all ranks. Throws a run error if width > 1 and MPI
/// lacks MPI_THREAD_MULTIPLE, which rank 0 needs to manage the farm and compute.
FarmOutcome run_gangs(const Communicator& comm, int width, FarmRoot* root, Executor& executor, CheckpointSink& sink,
                      const FarmParams& params);

}  // namespace krossfold::parallel
