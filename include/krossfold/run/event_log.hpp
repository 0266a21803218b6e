// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "krossfold/core/unit.hpp"
#include "krossfold/run/run_facts.hpp"

namespace krossfold::run {

/// An epoch of a training; NaN for a quantity that it does not have.
struct LoggedEpoch {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  int epoch = 0;  ///< from 1 on
  double loss = none, held_out_loss = none, held_out_error = none;
  double seconds = none, comm_seconds = none;
  double validation_loss = none, validation_error = none;
};

/// Writes the file of the option `json-log`: a line of JSON for each event, as docs/json-log.schema.json describes them. A run
/// appends to an existing log. The functions may be called from any thread.
class EventLog {
public:
  /// Throws an input error if the file cannot be opened for writing, has content that is not an event log, or is a pipe that no process
  /// reads. A reader that does not read for a second, or goes, loses lines.
  explicit EventLog(const std::string& path);
  ~EventLog();

  /// A run begins, of whose units `units` were computed by earlier runs; `config` holds the study's options as JSON.
  void begin(const std::string& kind, const std::string& output, const std::string& config, const RunFacts& facts,
             int units);
  void epoch(const UnitKey& unit, const LoggedEpoch& epoch);
  /// `reason` says why a unit failed or its training diverged.
  void unit(const Record& record, const std::string& reason);
  void unit(const Record& record) { unit(record, record.reason); }
  void end(const RunFacts& facts);

  /// Why a line could not be written; "" if all lines were. Such a failure does not stop a study.
  std::string failure() const;

private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace krossfold::run
