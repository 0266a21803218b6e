// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/storage/field.hpp"

namespace krossfold::run {

/// What result files say of the units of every study.
struct UnitFields {
  storage::Field<double> seconds, started;
  storage::Field<std::int32_t> rank, status;
  storage::Field<std::string> reason;
};

/// The schema of a result file.
class ResultSchema : public storage::Schema {
protected:
  /// The fields of units with these axes, in the group `path`.
  UnitFields add_units(const std::string& path, const std::string& axes);
};

inline constexpr std::int32_t status_pruned = 3;  ///< in result files; no record has it

/// The units of a study as they go into its result file. A unit without a record has NaN, rank -1 and status 0.
struct UnitTable {
  explicit UnitTable(std::size_t units);
  void set(std::size_t unit, const Record& record);
  void write(const storage::FieldWriter& writer, const UnitFields& fields) const;

  std::vector<double> seconds, started;
  std::vector<std::int32_t> rank, status;
  std::vector<std::string> reason;
};

/// How many units a result file has, by status.
struct UnitCounts {
  int all = 0, done = 0, failed = 0, pruned = 0;
  double seconds = 0;        ///< computing time of all of them
  std::string first_reason;  ///< why the first of those that failed did
  void add(const storage::FieldReader& file, const UnitFields& fields);
};

/// "missing", "done", "failed", "pruned".
const char* status_name(std::int32_t status);

}  // namespace krossfold::run
