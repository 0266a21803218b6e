// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/parallel/schedule.hpp"
#include "krossfold/planning/formation.hpp"
#include "krossfold/planning/planned_work.hpp"
#include "krossfold/report/document.hpp"

namespace krossfold::planning {

/// Ranks that add less than this to the speed-up, each, do not pay.
inline constexpr double min_marginal_efficiency = 0.5;

struct PlanParams {
  std::vector<Formation> formations;  ///< none: 1x1, 1x2, 1x4, 2x4, 4x4, ... up to the first that does not pay
  std::vector<parallel::Schedule> schedules{parallel::Schedule::dynamic};
  double deadline = 0;  ///< seconds from the start of the program; 0 for none
};

/// What a formation would do with the study under one schedule.
struct PlanRow {
  std::string formation, schedule;
  int ranks = 0;
  double power = 0;        ///< sum of the ranks' speeds
  double makespan = 0;     ///< seconds of the farm
  double seconds = 0;      ///< and with what comes before it, where that is known
  double utilisation = 0;  ///< computing time over makespan x ranks
  double speed_up = 0;     ///< against one rank of speed 1
  double bound = 0;  ///< no schedule is faster: max(computing time / power, critical path / speed of the fastest rank)
  double rank_hours = 0;  ///< ranks x seconds / 3600
  bool in_time = true;    ///< meets the deadline, if there is one
};

/// From which formation on more ranks do not pay.
struct PlanLimit {
  std::string formation, before;  ///< "" where all pay; `before` is the last that pays
  double marginal = 0;            ///< gain of speed-up over gain of power from `before` to `formation`
};

struct Plan {
  PlannedWork work;
  double deadline = 0;
  std::vector<PlanRow> rows;  ///< formation after formation, each with all schedules
  PlanLimit limit;            ///< with the first of the schedules
  int cheapest = -1;    ///< the row that meets the deadline with the fewest rank-hours, of equal ones the earliest end
  double shortest = 0;  ///< seconds that no formation of speed 1 gets below: set-up and critical path
  /// The farm's seconds as predicted for the formation and schedule that the times are from; 0 if they are not known.
  double own_makespan = 0;
};

/// Simulates the farm (parallel/farm_simulation.hpp) with the units and times of the study. A unit takes its time divided by
/// the speed of its rank, whatever else runs on the node; what comes before the farm takes the same in every formation.
Plan make_plan(const PlannedWork& work, const PlanParams& params);

/// The plan for people and programs; its CSV form has a line for each row.
report::Document plan_document(const Plan& plan);

}  // namespace krossfold::planning
