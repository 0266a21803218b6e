// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "krossfold/parallel/schedule.hpp"
#include "krossfold/planning/formation.hpp"
#include "krossfold/planning/planned_work.hpp"
#include "krossfold/report/document.hpp"

namespace krossfold::planning {

/// Added ranks pay if each of them raises the speed-up by at least this much.
inline constexpr double min_marginal_efficiency = 0.5;

struct PlanParams {
  std::vector<Formation> formations;  ///< if empty, 1x1, 1x2, 1x4, 2x4, 4x4, ... up to the first that does not pay
  std::vector<parallel::Schedule> schedules{parallel::Schedule::dynamic};
  double deadline = 0;  ///< seconds from the start of the program; 0 for none
  NodePrices prices{};
};

/// The predicted run of the study on one formation under one schedule.
struct PlanRow {
  std::string formation, schedule;
  int ranks = 0, nodes = 0;
  double power = 0;        ///< sum of the ranks' speeds
  double makespan = 0;     ///< seconds of the farm
  double seconds = 0;      ///< makespan plus set-up time, if that is known
  double utilisation = 0;  ///< computing time over makespan x ranks
  double speed_up = 0;     ///< relative to one rank of speed 1
  double bound = 0;        ///< lower bound of any schedule: max(computing time / power, critical path / fastest speed)
  double rank_hours = 0;   ///< ranks x seconds / 3600
  std::optional<double> price;
  bool in_time = true;  ///< meets the deadline, if there is one
};

/// The formation from which on more ranks do not pay.
struct PlanLimit {
  std::string formation, before;  ///< "" if all pay; `before` is the last that pays
  double marginal = 0;            ///< gain in speed-up over gain in power from `before` to `formation`
};

struct Plan {
  PlannedWork work;
  double deadline = 0;
  std::vector<PlanRow> rows;  ///< by formation, then by schedule
  PlanLimit limit;            ///< under the first of the schedules
  int cheapest =
      -1;  ///< row that meets the deadline at the lowest price, or else rank-hours, ties going to the shortest; -1 if none does
  double shortest = 0;  ///< lower bound of `seconds` for any formation of speed 1: set-up and critical path
  /// Makespan predicted for the formation and schedule that the study ran with; 0 if they are not known.
  double own_makespan = 0;
};

/// Simulates the farm (parallel/farm_simulation.hpp) with the units and times of the study. A unit takes its time divided by
/// the speed of its rank, whatever else runs on the node; the set-up before the farm takes the same time in every formation.
Plan make_plan(const PlannedWork& work, const PlanParams& params);

/// A price as tables show it, with three digits; empty without one.
report::Cell price_cell(const std::optional<double>& price);

/// The report of a plan; its CSV form has a line for each row.
report::Document plan_document(const Plan& plan);

}  // namespace krossfold::planning
