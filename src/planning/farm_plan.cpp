// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/planning/farm_plan.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/parallel/farm_simulation.hpp"

namespace krossfold::planning {

namespace {

parallel::Simulation simulate_on(const PlannedWork& work, const Formation& formation, parallel::Schedule schedule) {
  std::map<UnitKey, double> seconds;
  for (const PlanStage& stage : work.stages) {
    for (const PlanUnit& unit : stage.units) seconds[unit.unit.key] = unit.seconds;
  }
  parallel::SimulatedFarm farm;
  farm.queue = {schedule, formation.node, work.seed};
  farm.speed = formation.speed;
  farm.claim_seconds = work.claim_seconds;
  farm.root_claim_seconds = work.root_claim_seconds;
  PlanStudy study(work);
  return parallel::simulate(
      study, [&](const Unit& unit) { return seconds.at(unit.key); }, farm);
}

/// Simulates formations; the quantities that all rows share are computed once.
class Planner {
public:
  Planner(const PlannedWork& work, const PlanParams& params)
      : work_(work), params_(params), total_(work.seconds()), longest_(work.critical_path()) {
    const Formation one = parse_formation("1x1");
    for (const parallel::Schedule schedule : params.schedules) {
      alone_[schedule] = simulate_on(work, one, schedule).makespan;
    }
  }

  PlanRow row(const Formation& formation, parallel::Schedule schedule) const {
    const parallel::Simulation run = simulate_on(work_, formation, schedule);
    PlanRow row;
    row.formation = formation.name;
    row.schedule = name_of(schedule);
    row.ranks = formation.ranks();
    row.nodes = formation.node_count();
    row.power = formation.power();
    row.makespan = run.makespan;
    row.seconds = run.makespan + std::max(0.0, work_.setup_seconds);
    row.utilisation = run.utilisation;
    row.speed_up = run.makespan > 0 ? alone_.at(schedule) / run.makespan : 1;
    row.bound = std::max(total_ / formation.power(), longest_ / formation.fastest());
    row.rank_hours = row.ranks * row.seconds / 3600;
    row.price = price_of(formation, row.seconds, params_.prices);
    row.in_time = params_.deadline <= 0 || row.seconds <= params_.deadline;
    return row;
  }

private:
  const PlannedWork& work_;
  const PlanParams& params_;
  double total_, longest_;
  std::map<parallel::Schedule, double> alone_;  ///< makespan on one rank
};

double marginal_efficiency(const PlanRow& from, const PlanRow& to) {
  return (to.speed_up - from.speed_up) / (to.power - from.power);
}

/// The first formation, by power, from which on none pays.
PlanLimit find_limit(const std::vector<PlanRow>& rows, const std::string& schedule) {
  std::vector<PlanRow> by_power;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(by_power),
               [&](const PlanRow& row) { return row.schedule == schedule; });
  std::stable_sort(by_power.begin(), by_power.end(), [](const PlanRow& a, const PlanRow& b) {
    return a.power != b.power ? a.power < b.power : a.speed_up > b.speed_up;
  });
  PlanLimit limit;
  std::size_t last = 0;  // the last formation that pays
  for (std::size_t k = 1; k < by_power.size(); ++k) {
    if (!(by_power[k].power > by_power[last].power)) continue;
    const double marginal = marginal_efficiency(by_power[last], by_power[k]);
    if (marginal >= min_marginal_efficiency) {
      last = k;
      limit = {};
    } else if (limit.formation.empty()) {
      limit = {by_power[k].formation, by_power[last].formation, marginal};
    }
  }
  return limit;
}

void add_default_formations(Plan& plan, const Planner& planner, const PlanParams& params) {
  for (int k = 0;; ++k) {
    const Formation formation = default_formation(k);
    const std::size_t first = plan.rows.size();
    for (const parallel::Schedule schedule : params.schedules) plan.rows.push_back(planner.row(formation, schedule));
    if (k == 0) continue;
    const PlanRow &last = plan.rows[first - params.schedules.size()], &now = plan.rows[first];
    const bool pays = marginal_efficiency(last, now) >= min_marginal_efficiency;
    // Until the deadline is met, formations that do not pay are listed as long as they help.
    const bool helps = !now.in_time && now.makespan < 0.99 * last.makespan;
    if ((!pays && !helps) || formation.ranks() >= max_ranks / 2) return;
  }
}

/// The formation 2x3 of a study on "2x3xCUDA", 1x3+1x2 for "3+2xSerial"; empty for anything else.
std::optional<Formation> own_formation(const std::string& written) {
  std::string ranks = written.substr(0, written.rfind('x'));
  if (ranks.find('x') == std::string::npos) {
    std::string groups = "1x";
    for (const char c : ranks) groups += c == '+' ? std::string("+1x") : std::string(1, c);
    ranks = groups;
  }
  try {
    return parse_formation(ranks);
  } catch (const Error&) {
    return std::nullopt;
  }
}

void add_own(Plan& plan) {
  const PlannedWork& work = plan.work;
  const auto own = own_formation(work.formation);
  if (!own || (work.status != "finished" && work.status != "diverged")) return;
  for (const parallel::Schedule schedule : parallel::all_schedules) {
    if (name_of(schedule) == work.schedule) plan.own_makespan = simulate_on(work, *own, schedule).makespan;
  }
}

}  // namespace

Plan make_plan(const PlannedWork& work, const PlanParams& params) {
  Plan plan;
  plan.work = work;
  plan.deadline = params.deadline;
  plan.shortest = std::max(0.0, work.setup_seconds) + work.critical_path();
  const Planner planner(work, params);
  for (const Formation& formation : params.formations) {
    for (const parallel::Schedule schedule : params.schedules) plan.rows.push_back(planner.row(formation, schedule));
  }
  if (params.formations.empty()) add_default_formations(plan, planner, params);
  plan.limit = find_limit(plan.rows, plan.rows[0].schedule);
  for (int k = 0; params.deadline > 0 && k < static_cast<int>(plan.rows.size()); ++k) {
    const PlanRow& row = plan.rows[static_cast<std::size_t>(k)];
    if (!row.in_time) continue;
    const auto order = [](const PlanRow& r) { return std::pair(r.price.value_or(r.rank_hours), r.seconds); };
    if (plan.cheapest < 0 || order(row) < order(plan.rows[static_cast<std::size_t>(plan.cheapest)])) plan.cheapest = k;
  }
  add_own(plan);
  return plan;
}

}  // namespace krossfold::planning
