// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/unit_table.hpp"

#include <cmath>
#include <utility>

namespace krossfold::run {

ResultSchema::Real ResultSchema::real(std::string path, std::string axes, std::string long_name, std::string old_path) {
  return add<double>(std::move(path), std::move(axes), "1", std::move(long_name), std::move(old_path));
}

ResultSchema::Whole ResultSchema::whole(std::string path, std::string axes, std::string long_name,
                                        std::string old_path) {
  return add<std::int32_t>(std::move(path), std::move(axes), "1", std::move(long_name), std::move(old_path));
}

ResultSchema::Name ResultSchema::name(std::string path, std::string axes, std::string long_name, std::string old_path) {
  return add<std::string>(std::move(path), std::move(axes), "1", std::move(long_name), std::move(old_path));
}

UnitFields ResultSchema::add_units(const std::string& path, const std::string& axes) {
  return {add<double>(path + "/seconds", axes, "s", "computing time of the unit"),
          add<double>(path + "/started", axes, "s", "start of the unit since the study began"),
          add<std::int32_t>(path + "/rank", axes, "1", "MPI rank that computed the unit"),
          add<std::int32_t>(path + "/status", axes, "1", "0 missing, 1 done, 2 failed, 3 pruned"),
          add<std::string>(path + "/reason", axes, "1", "why the unit failed, diverged or was pruned")};
}

UnitTable::UnitTable(std::size_t units)
    : seconds(units, not_computed), started(seconds), rank(units, -1), status(units, 0), reason(units) {}

void UnitTable::set(std::size_t unit, const Record& record) {
  seconds[unit] = record.seconds;
  started[unit] = record.started;
  rank[unit] = record.rank;
  status[unit] = static_cast<std::int32_t>(record.status);
  reason[unit] = record.reason;
}

void UnitTable::write(const storage::FieldWriter& writer, const UnitFields& fields) const {
  writer.put(fields.seconds, seconds);
  writer.put(fields.started, started);
  writer.put(fields.rank, rank);
  writer.put(fields.status, status);
  writer.put(fields.reason, reason);
}

void UnitCounts::add(const storage::FieldReader& file, const UnitFields& fields) {
  const auto& status = file.get(fields.status);
  const auto& why = file.get(fields.reason);
  const auto& times = file.get(fields.seconds);
  for (std::size_t u = 0; u < status.size(); ++u) {
    ++all;
    done += status[u] == 1 ? 1 : 0;
    pruned += status[u] == status_pruned ? 1 : 0;
    seconds += std::isnan(times[u]) ? 0 : times[u];
    if (status[u] == 2 && failed++ == 0) first_reason = why[u];
  }
}

const char* status_name(std::int32_t status) {
  const char* const names[] = {"missing", "done", "failed", "pruned"};
  return status >= 0 && status <= status_pruned ? names[status] : "unknown";
}

}  // namespace krossfold::run
