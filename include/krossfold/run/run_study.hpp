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
#include "krossfold/parallel/communicator.hpp"
#include "krossfold/parallel/device_map.hpp"
#include "krossfold/run/attributes.hpp"
#include "krossfold/run/checkpoint.hpp"
#include "krossfold/run/event_log.hpp"
#include "krossfold/run/fingerprint.hpp"
#include "krossfold/run/run_params.hpp"
#include "krossfold/run/study_kind.hpp"
#include "krossfold/storage/container.hpp"

namespace krossfold::run {

/// The circumstances of a run: its ranks, its options, its start, and how it is told to stop.
struct RunContext {
  const parallel::Communicator& comm;
  const Log& log;
  const std::vector<parallel::RankPlace>& places;
  const RunParams& run;
  std::chrono::steady_clock::time_point began;  ///< start of this run, from which max_time counts
  /// Seconds since then.
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); }
  std::function<bool()> stop_requested;  ///< called on rank 0, by one thread at a time: true once the run is to stop
  std::function<bool()> drop_requested;  ///< likewise: true once it is to stop without waiting for units in flight
};

/// Units that are computed in one farm, by gangs of `width` ranks.
struct Phase {
  Study& study;
  int width = 1;
};

/// A study whose data are loaded and whose options are checked: the part of run_study() that depends on its kind. It is the same
/// on every rank.
struct StudyCase {
  explicit StudyCase(const RunContext& context) : context(context) {}
  virtual ~StudyCase() = default;

  const RunContext& context;
  std::string progress;  ///< name of the study in the progress line: "svm search"; "" for no such line
  storage::Fingerprint fingerprint;
  StudyFacts facts;
  EventLog* log = nullptr;  ///< of the option json-log; set on rank 0 before prepare()

  /// Prints the units, samples and memory of the study for a dry run. Called on rank 0.
  virtual void print_plan(std::ostream& out) const = 0;
  /// Throws an input error if no unit of the study can be computed in the memory of this rank. A dry run calls it after print_plan(), so that
  /// it ends as the study would; what it throws counts only if there are units to compute.
  virtual void require_memory() const {}
  /// The stage of a unit; later stages may depend on the records of earlier ones.
  virtual int stage(const UnitKey&) const { return 0; }
  /// Appends the fields of the result file, from all records so far. Called on rank 0.
  virtual void write_result(const std::vector<Record>& records, storage::Container& content) = 0;
  /// Computes what the units need. Called only if there are units to compute. Returns false if the run was stopped meanwhile.
  /// Collective.
  virtual bool prepare() = 0;
  /// What ends prepare(): that a stop is requested, or that max_time and grace were over a second ago. A shorter set-up is let end, so
  /// that each of several short runs computes something.
  bool ends_setup() const;
  /// The phases, which run one after another. Called after prepare(); the studies live as long as this object.
  virtual std::vector<Phase> phases() = 0;
  virtual Executor& executor() = 0;
  /// Why the study has no result although all its units are done, for example that its only training diverged; "" otherwise.
  virtual std::string failure(const std::vector<Record>&) const { return ""; }
  /// Why the training of a unit that is done diverged; "" otherwise.
  virtual std::string divergence(const Record&) const { return ""; }
  /// The epochs of a unit's trainings that the event log does not have yet.
  virtual std::vector<LoggedEpoch> epochs_of(const Record&) const { return {}; }
};

/// How the units of the study store their intermediate state.
CheckpointParams checkpoint_params(const StudyCase& study);

/// Lays out a study of this kind on all ranks. A dry run prints what the study would compute; otherwise the study is started or
/// continued: the farm runs, the result file is written and the report printed on stdout of rank 0. Returns done, failed if all
/// units failed, or stopped if the run was stopped before the end. Throws an input error, with nothing touched, if options, data
/// or an existing output are invalid. Collective.
ExitCode run_study(const RunContext& context, const StudyKind& kind, const StudyCommand& command);

}  // namespace krossfold::run
