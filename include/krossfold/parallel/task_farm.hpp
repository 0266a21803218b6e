// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "krossfold/core/log.hpp"
#include "krossfold/core/unit.hpp"
#include "krossfold/parallel/communicator.hpp"
#include "krossfold/parallel/schedule.hpp"

namespace krossfold::parallel {

/// Parameters of a farm, equal on every rank.
struct FarmParams {
  Schedule schedule = Schedule::dynamic;
  std::uint64_t seed = 0;         ///< of Schedule::shuffled
  std::vector<std::string> host;  ///< (rank): its host; the ranks of one host form a node. Empty: all on one
  double max_time = 0;            ///< seconds after which no unit but the first is handed out; 0 for no limit
  double grace = 30;              ///< seconds that units in flight then have to finish before they are dropped
  double sync_every = 0.1;        ///< minimum seconds between two syncs of the log
  double stall_timeout = 0;       ///< seconds without progress after which a rank is considered hung; 0 for no limit
  /// Called often by the manager thread of rank 0: true once the user or the system requests a stop.
  std::function<bool()> stop_requested;
  /// Likewise: true once units in flight are to be dropped without regard to their grace. Implies a stop.
  std::function<bool()> drop_requested;
};

/// Rank 0's part of a farm; the other ranks pass nullptr.
struct FarmRoot {
  Study& study;
  RecordLog& log;
  const std::vector<Record>& replayed;  ///< records of earlier runs: their units are not computed again
  Progress* progress = nullptr;
  /// Called with all records so far, by the computing thread of rank 0 between units. May be empty. Errors end the
  /// farm.
  std::function<void(const std::vector<Record>&)> snapshot = {};
  double snapshot_every = 60;  ///< minimum seconds between two calls
};

struct FarmOutcome {
  bool finished = false;        ///< every unit has a record; false if the run was stopped
  std::vector<Record> records;  ///< on rank 0: all records, including replayed ones, in key order
  double seconds = 0;           ///< wall time of this farm
};

/// Computes all units of a study on all ranks of the communicator. Collective.
///
/// On rank 0 a manager thread owns the queue, log and progress display and makes all MPI calls; the main thread of
/// every rank, including 0, computes. A rank requests a unit by sending the records of its last one; the manager
/// answers at once and syncs the log afterwards. On the other ranks one thread waits for messages, so that a stop
/// reaches a unit in flight. Waiting threads sleep rather than spin.
///
/// A unit that throws, or returns no record without having been stopped, is recorded as failed with the reason, and the
/// study continues. A unit that runs out of memory (out_of_memory()) is retried after all others, alone and after
/// Executor::release() on every rank; if it fails again, it is recorded as failed. An error of study, log, sink,
/// stop_requested or drop_requested drops the units in flight and is thrown on every rank. An MPI error during the farm
/// is printed with its rank and aborts the job. So does a rank that reports no progress for stall_timeout (its unit
/// does not check context.stop, or its process does not answer): the log is synced, and the message names rank and
/// host.
FarmOutcome run_farm(const Communicator& comm, FarmRoot* root, Executor& executor, CheckpointSink& sink,
                     const FarmParams& params);

}  // namespace krossfold::parallel
