// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the result files of all kinds of studies tell `krossfold plan`.

#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "krossfold/planning/planned_work.hpp"
#include "krossfold/run/result_summary.hpp"
#include "krossfold/run/unit_table.hpp"

namespace krossfold::run {

/// NaN, and what else no clock shows, stands for a unit without a time.
inline bool is_time(double seconds) { return std::isfinite(seconds) && seconds >= 0; }

/// The seconds of the units, NaN without a record.
std::vector<double> unit_times(const storage::FieldReader& file, const UnitFields& fields);

/// A unit with its time, if it was measured, else the expected one.
planning::PlanUnit plan_unit(Unit unit, double measured, double expected);

/// The work of a study without its stages. A claim took the mean pause of the ranks between two units of these fields, recorded at the
/// same time or one after the other; pauses above 0.1 s are not counted: the study was stopped there.
/// Throws an input error that names the file if no unit of the first of the fields has a time.
planning::PlannedWork begin_plan(const ResultFile& file, const ResultSummary& summary, const std::string& description,
                                 std::initializer_list<UnitFields> units);

/// The work of a study whose units wait for no others: one stage "units" with the units of `units`. Units without a time take the mean of
/// the measured ones.
planning::PlannedWork plan_independent_units(const ResultFile& file, const ResultSummary& summary,
                                             const std::string& description, const UnitFields& units);

}  // namespace krossfold::run
