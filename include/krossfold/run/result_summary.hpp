// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/report/document.hpp"
#include "krossfold/run/unit_table.hpp"
#include "krossfold/storage/container.hpp"

namespace krossfold::run {

/// A result file that was read.
struct ResultFile {
  std::string name;
  storage::Container content;
};

/// The attributes that the result files of all kinds of studies share; the reports of the kinds derive from it.
struct ResultSummary {
  std::string name, kind, status, data, fold_kind, formation, devices;
  int train_samples = 0, test_samples = 0, features = 0, ranks = 1;
  double seconds = 0;       ///< wall time of all runs of the study
  double unit_seconds = 0;  ///< computing time of all units
  double utilisation = 0;   ///< computing time over wall time x ranks of the last run
  std::string options;      ///< as JSON, see to_json()
  std::string schedule;
  std::vector<std::string> warnings;

  ResultSummary() = default;
  explicit ResultSummary(const ResultFile& file);
  /// To be called once unit_seconds is known: sets the utilisation of the last run or, if the file lacks it, of all runs.
  void set_utilisation(const ResultFile& file);
  /// The value of an option of the study; "" if the file does not have it.
  std::string option(const std::string& option_name) const;
};

/// Begins the document of a study with the facts that every report has; `title` follows the name of the file.
report::Document begin_document(const ResultSummary& summary, const std::string& title);

/// Adds the line "finished: 60 of 60 units, 0 failed".
void add_units(report::Document& document, const ResultSummary& summary, const UnitCounts& units,
               const std::string& more = "", std::vector<report::Fact> facts = {});

/// Adds the last lines: options, time and warnings.
void end_document(report::Document& document, const ResultSummary& summary);

}  // namespace krossfold::run
