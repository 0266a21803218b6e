// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/storage/field.hpp"

namespace krossfold::run {

/// The fields of the units of a study in its result file.
struct UnitFields {
  storage::Field<double> seconds, started;
  storage::Field<std::int32_t> rank, status;
  storage::Field<std::string> reason;
};

/// Base of the schemas of result files.
class ResultSchema : public storage::Schema {
protected:
  using Real = storage::Field<double>;
  using Whole = storage::Field<std::int32_t>;
  using Name = storage::Field<std::string>;

  /// Add fields without a physical unit.
  Real real(std::string path, std::string axes, std::string long_name, std::string old_path = "");
  Whole whole(std::string path, std::string axes, std::string long_name, std::string old_path = "");
  Name name(std::string path, std::string axes, std::string long_name, std::string old_path = "");
  /// Adds the fields of units with these axes, in the group `path`.
  UnitFields add_units(const std::string& path, const std::string& axes);
};

/// Stands in result files for a number that was not computed.
inline constexpr double not_computed = std::numeric_limits<double>::quiet_NaN();

/// The values of a member of all items, as the values of a field.
template <class Item, class T>
std::vector<T> column(const std::vector<Item>& items, T Item::*member) {
  std::vector<T> values;
  for (const Item& item : items) values.push_back(item.*member);
  return values;
}

inline constexpr std::int32_t status_pruned = 3;  ///< in result files only; no record has this status

/// The values of UnitFields. A unit without a record has NaN, rank -1 and status 0.
struct UnitTable {
  explicit UnitTable(std::size_t units);
  void set(std::size_t unit, const Record& record);
  void write(const storage::FieldWriter& writer, const UnitFields& fields) const;

  std::vector<double> seconds, started;
  std::vector<std::int32_t> rank, status;
  std::vector<std::string> reason;
};

/// The units of a result file, counted by status.
struct UnitCounts {
  int all = 0, done = 0, failed = 0, pruned = 0;
  double seconds = 0;        ///< computing time of all units
  std::string first_reason;  ///< why the first failed unit failed
  void add(const storage::FieldReader& file, const UnitFields& fields);
};

/// "missing", "done", "failed" or "pruned"; "unknown" for other numbers.
const char* status_name(std::int32_t status);

}  // namespace krossfold::run
