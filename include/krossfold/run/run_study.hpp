// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/log.hpp"
#include "krossfold/core/unit.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/parallel/communicator.hpp"
#include "krossfold/parallel/device_map.hpp"
#include "krossfold/run/attributes.hpp"
#include "krossfold/run/checkpoint.hpp"
#include "krossfold/run/event_log.hpp"
#include "krossfold/run/run_params.hpp"
#include "krossfold/run/study_kind.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/storage/journal.hpp"

namespace krossfold::run {

/// How a process was started, with which options of every study, and how it is told to stop.
struct RunContext {
  const parallel::Communicator& comm;
  const Log& log;
  const std::vector<parallel::RankPlace>& places;
  const RunParams& run;
  std::chrono::steady_clock::time_point began;  ///< of this run; --max-time counts from it
  std::function<bool()> stop_requested;         ///< asked on rank 0: true once the run is to stop
  std::function<bool()> drop_requested;  ///< the same: true once it is to stop without waiting for units in flight
};

/// Units that are computed together, by gangs of `width` ranks.
struct Phase {
  Study& study;
  int width = 1;
};

/// A study whose data are loaded and whose options are checked: what its kind brings to run_study(). The same on every rank.
struct StudyCase {
  explicit StudyCase(const RunContext& context) : context(context) {}
  virtual ~StudyCase() = default;

  const RunContext& context;
  std::string progress;  ///< what the progress line calls it: "svm search"; "" for none
  storage::Fingerprint fingerprint;
  StudyFacts facts;
  EventLog* log = nullptr;  ///< of --json-log; on rank 0, from prepare() on

  /// What --dry-run prints of units, samples and memory. On rank 0.
  virtual void print_plan(std::ostream& out) const = 0;
  /// Later stages may rest on the records of earlier ones.
  virtual int stage(const UnitKey&) const { return 0; }
  /// Appends the fields of the result file, from all records so far. On rank 0.
  virtual void write_result(const std::vector<Record>& records, storage::Container& content) = 0;
  /// What units need and takes time; called if there are any to compute. Collective. False if the run was stopped on the way.
  virtual bool prepare() = 0;
  /// After prepare(); they live as long as this. Phases come one after another.
  virtual std::vector<Phase> phases() = 0;
  virtual Executor& executor() = 0;
  /// The epochs of the trainings of a unit that --json-log has not seen yet.
  virtual std::vector<LoggedEpoch> epochs_of(const Record&) const { return {}; }
};

/// The fingerprint of a study with these options (fingerprint_text) on these data: they count by their values, not by how their
/// path was written.
storage::Fingerprint make_fingerprint(const std::string& options, const data::Task& task);

/// How units of the study store what they have reached (checkpoint.hpp).
CheckpointParams checkpoint_params(const StudyCase& study);

/// Lays out a study of this kind on all ranks; prints what it would compute if --dry-run is given, otherwise continues or starts it:
/// runs the farm, writes the result file and prints the report on stdout of rank 0. Collective. Returns done, or stopped if the run was
/// stopped before the end. Throws an input error, with nothing touched, for anything wrong with options, data or an existing output.
ExitCode run_study(const RunContext& context, const StudyKind& kind, const StudyCommand& command);

}  // namespace krossfold::run
