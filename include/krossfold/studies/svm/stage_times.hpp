// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/planning/planned_work.hpp"
#include "krossfold/run/result_summary.hpp"

namespace krossfold::studies {

/// The units of an SVM search and their times, from its result file; the search may be unfinished.
///
/// The stages are those of SvmStudy: the grid, the rounds of refinement, the calibration, the refit. A unit with a
/// record has its measured time, even if it failed. The times of the others are estimated:
///  - in the grid: the mean over the measured folds of the same gamma; otherwise interpolated between the measured
///    gammas, linear in log(seconds / relative_cost) over log(gamma); outside them that of the nearest, in proportion
///    to relative_cost;
///  - in a round of refinement, the calibration and the refit: as in the grid at the unit's gamma, times the number of
///    its values of C over that of the grid (the path ends at the best C), for the refit also times (samples / training
///    samples of a fold)^2. These are corrected by the ratio of measured to estimated times in the same stage or, if
///    nothing is measured there, in the stage before: for a round the round before it, for the refit the calibration;
///  - while there is no best cell: at the middle gamma, for the whole path. Later rounds are centred at the best cell
///    so far.
///
/// The time of a claim is that of run::begin_plan().
///
/// Throws an input error that names the file if its datasets do not fit together or no unit of the grid has a time.
planning::PlannedWork svm_plan_work(const run::ResultFile& result);

}  // namespace krossfold::studies
