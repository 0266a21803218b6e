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

/// The same on every rank.
struct FarmParams {
  Schedule schedule = Schedule::dynamic;
  std::uint64_t seed = 0;         ///< of Schedule::shuffled
  std::vector<std::string> host;  ///< (rank): where it runs; ranks of one host are a node. Empty: all on one
  double max_time = 0;            ///< seconds after which no unit but the first is handed out; 0 for no limit
  double grace = 30;              ///< seconds that units in flight then have to finish before they are dropped
  double sync_every = 0.1;        ///< seconds between two syncs of the log at least
  double stall_timeout = 0;  ///< seconds without a sign of life after which a rank is taken to hang; 0 for no limit
  /// Asked often on rank 0, from the manager thread: true once the user or the system wants the run to stop.
  std::function<bool()> stop_requested;
  /// The same: true once the units in flight are to be dropped whatever is left of their grace. A stop by itself.
  std::function<bool()> drop_requested;
};

/// What rank 0 brings to a farm; the other ranks pass nullptr.
struct FarmRoot {
  Study& study;
  RecordLog& log;
  const std::vector<Record>& replayed;  ///< records of earlier runs: their units are not computed again
  Progress* progress = nullptr;
  /// Called on the computing thread of rank 0 before one of its units, with all records so far. May be empty. An error of it ends
  /// the farm.
  std::function<void(const std::vector<Record>&)> snapshot = {};
  double snapshot_every = 60;  ///< seconds between two calls at least
};

struct FarmOutcome {
  bool finished = false;        ///< every unit has a record; false if the run was stopped
  std::vector<Record> records;  ///< on rank 0: all records, replayed ones included, in the order of their keys
  double seconds = 0;           ///< wall time of this farm
};

/// Computes all units of a study on all ranks of the communicator. Collective.
///
/// On rank 0 a manager thread owns queue, log and progress, and is the only one to call MPI; the main thread of every
/// rank, 0 included, computes. A rank asks for a unit when it has sent the records of the last one; the manager answers
/// at once and syncs the log afterwards. On the other ranks one thread waits for messages, so that a stop reaches a unit
/// in flight. Waiting threads sleep, they do not spin.
///
/// A unit that throws, or gives no record without having been stopped, is recorded as failed with the reason and the
/// study goes on. One that runs out of memory (out_of_memory()) is tried again at the end of the others, alone and after
/// Executor::release() on every rank, and recorded as failed if that is not enough either. An error of study, log, sink, stop_requested or
/// drop_requested drops the units in flight and is thrown on every rank. An error of MPI in the middle of a farm is printed with
/// its rank and aborts the job. So does a rank that shows no sign of life for
/// stall_timeout (its unit does not look at context.stop, or its process does not answer): the log is synced, rank and host are
/// named.
FarmOutcome run_farm(const Communicator& comm, FarmRoot* root, Executor& executor, CheckpointSink& sink,
                     const FarmParams& params);

}  // namespace krossfold::parallel
