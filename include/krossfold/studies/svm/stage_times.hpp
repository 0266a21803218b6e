// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krossfold/planning/planned_work.hpp"
#include "krossfold/run/result_summary.hpp"

namespace krossfold::studies {

/// The units of an SVM search and their times, from its result file; the search may be unfinished.
///
/// The stages are those of SvmStudy: the grid, the rounds of refinement, the calibration, the refit. The time of a unit is
/// the one in the file, also of one that failed. Units without are estimated:
///  - of the grid: the mean over the measured folds of the same gamma; else between the measured gammas, linear in
///    log(seconds / relative_cost) over log(gamma); beyond them as the nearest, in proportion to relative_cost;
///  - of a round of refinement, of the calibration and the refit: the same at their gamma, times their values of C over those of
///    the grid (the path ends at the best C), for the refit times (samples / training samples)^2; times the ratio of measured
///    to estimated time where units of the stage are measured, for a round else that of the round before;
///  - where there is no best cell yet: the middle gamma, the whole path. Later rounds are centred at the best cell so far.
///
/// What a claim took is the mean pause of the ranks between two units of the grid; pauses above 0.1 s are not counted: the
/// study was stopped there.
///
/// Throws an input error that names the file if its datasets do not fit together or no unit of the grid has a time.
planning::PlannedWork svm_plan_work(const run::ResultFile& result);

}  // namespace krossfold::studies
