// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/planning/planned_work.hpp"
#include "krossfold/run/result_summary.hpp"

namespace krossfold::studies {

/// The units of a bagging study and their times, from its result file; the study may be unfinished.
///
/// Each bootstrap has two stages, the trials of its search and the final fit, which waits for the former. The time of a unit is the one
/// in the file, also of one that failed. Units without are estimated: training_cost() times the ratio of measured time to cost, of the
/// measured folds of the same trial or, if there are none, of all measured trials; for a final fit whose trial is not known yet, the
/// mean over the trials. Folds that pruning dropped before they were computed are left out.
///
/// Throws an input error that names the file if its datasets do not fit together or no trial has a time.
planning::PlannedWork bag_plan_work(const run::ResultFile& result);

}  // namespace krossfold::studies
