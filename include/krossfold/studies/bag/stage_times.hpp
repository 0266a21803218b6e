// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/planning/planned_work.hpp"
#include "krossfold/run/result_summary.hpp"

namespace krossfold::studies {

/// The units of a bagging study and their times, from its result file; the study may be unfinished.
///
/// Each bootstrap has two stages, the trials of its search and then the final fit. A unit with a record has its
/// measured time, even if it failed. The times of the others are estimated: training_cost() times the ratio of measured
/// time to cost in the same trial or, if none of its folds is measured, in all trials. A final fit whose trial is not
/// known yet has the mean time of the candidates. Folds that pruning skipped before they were computed are left out.
///
/// Throws an input error that names the file if its datasets do not fit together or no trial has a time.
planning::PlannedWork bag_plan_work(const run::ResultFile& result);

}  // namespace krossfold::studies
