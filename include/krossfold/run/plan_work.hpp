// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// From the result file of a study of any kind to the work of a plan.

#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "krossfold/planning/planned_work.hpp"
#include "krossfold/run/result_summary.hpp"
#include "krossfold/run/unit_table.hpp"

namespace krossfold::run {

/// True for a time that a clock can have measured; a unit without a time has NaN.
inline bool is_time(double seconds) { return std::isfinite(seconds) && seconds >= 0; }

/// The seconds of the units; NaN for units without a record.
std::vector<double> unit_times(const storage::FieldReader& file, const UnitFields& fields);

/// The ratio of measured times to the times or costs that a model expects.
struct TimeRatio {
  double measured = 0, expected = 0;
  /// Ignores units without a measured time.
  void add(double unit_measured, double unit_expected);
  /// `otherwise` if nothing was measured.
  double value(double otherwise) const { return expected > 0 ? measured / expected : otherwise; }
};

/// A unit with its measured time or, if there is none, the expected one.
planning::PlanUnit plan_unit(Unit unit, double measured, double expected);

/// The work of a study, still without stages. The time of a claim is the mean pause of a rank between two units of any of the
/// fields; pauses above 0.1 s are ignored, because the study was stopped there.
/// Throws an input error that names the file if no unit of the first of the fields has a time.
planning::PlannedWork begin_plan(const ResultFile& file, const ResultSummary& summary, const std::string& description,
                                 std::initializer_list<UnitFields> units);

/// The work of a study whose units are independent: one stage "units" with the units of `units`. A unit without a time is
/// expected to take the mean of the measured ones.
planning::PlannedWork plan_independent_units(const ResultFile& file, const ResultSummary& summary,
                                             const std::string& description, const UnitFields& units);

}  // namespace krossfold::run
