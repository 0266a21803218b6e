// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/log.hpp"
#include "krossfold/core/unit.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/parallel/communicator.hpp"
#include "krossfold/parallel/device_map.hpp"
#include "krossfold/parallel/gang.hpp"
#include "krossfold/run/event_log.hpp"
#include "krossfold/run/result_summary.hpp"
#include "krossfold/run/run_facts.hpp"
#include "krossfold/run/run_params.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/storage/journal.hpp"

namespace krossfold::run {

/// How a process was started and how it is told to stop.
struct RunContext {
  const parallel::Communicator& comm;
  const Log& log;
  const std::vector<parallel::RankPlace>& places;
  std::function<bool()> stop_requested;  ///< asked on rank 0: true once the run is to stop
  std::function<bool()> drop_requested;  ///< the same: true once it is to stop without waiting for units in flight
};

/// Units that are computed together, by gangs of `width` ranks; width 0: by every rank for itself.
struct Phase {
  Study& study;
  int width = 0;
};

/// What a kind of study brings to run_study(). The same on every rank.
struct StudyCase {
  virtual ~StudyCase() = default;

  std::string kind;      ///< of the result file: "svm"
  std::string progress;  ///< what the progress line calls it: "svm search"; "" for none
  storage::Fingerprint fingerprint;
  std::uint64_t seed = 0;   ///< of --schedule shuffled
  std::string config;       ///< its options as JSON
  EventLog* log = nullptr;  ///< of --json-log; on rank 0, from prepare() on

  /// Later stages may rest on the records of earlier ones.
  virtual int stage(const UnitKey& key) const = 0;
  /// The content of the result file, from all records so far. On rank 0.
  virtual storage::Container result(const std::vector<Record>& records, const RunFacts& facts) const = 0;
  /// The report on its result file.
  virtual report::Document report(const ResultFile& file) const = 0;
  /// What units need and takes time; called if there are any to compute. Collective. False if the run was stopped on the way.
  virtual bool prepare() = 0;
  /// After prepare(); they live as long as this. Phases come one after another.
  virtual std::vector<Phase> phases() = 0;
  /// The epochs of the trainings of a unit that --json-log has not seen yet.
  virtual std::vector<LoggedEpoch> epochs_of(const Record&) const { return {}; }
  virtual Executor& executor();
  virtual parallel::GangExecutor& gang_executor();
};

/// The fingerprint of a study with these options (fingerprint_text) on these data: they count by their values, not by how their
/// path was written.
storage::Fingerprint make_fingerprint(const std::string& options, const data::Task& task);

/// Of all that the bits of a unit's result depend on, the program included.
std::uint64_t identity_of(const storage::Fingerprint& fingerprint);

/// Continues or starts the study, runs the farm, writes the result file and prints the report on stdout of rank 0. `began` is when
/// the run did, from which --max-time counts. Collective. Returns done, or stopped if the run was stopped before the end.
/// Throws an input error, with nothing touched, for anything wrong with an existing output file.
ExitCode run_study(const RunContext& context, const RunParams& run, std::chrono::steady_clock::time_point began,
                   StudyCase& what);

}  // namespace krossfold::run
