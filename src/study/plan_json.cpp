// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "krossfold/study/plan.hpp"

namespace krossfold::study {

namespace {

nlohmann::ordered_json json_of(const PlanRow& row, bool deadline) {
  nlohmann::ordered_json one = {{"formation", row.formation},
                                {"schedule", row.schedule},
                                {"ranks", row.ranks},
                                {"makespan", row.makespan},
                                {"seconds", row.seconds},
                                {"bound", row.bound},
                                {"utilisation", row.utilisation},
                                {"speed_up", row.speed_up},
                                {"rank_hours", row.rank_hours},
                                {"in_time", nullptr}};
  if (deadline) one["in_time"] = row.in_time;
  return one;
}

}  // namespace

std::string plan_json(const std::vector<Plan>& plans) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Plan& plan : plans) {
    const PlanWork& work = plan.work;
    nlohmann::ordered_json one;
    one["file"] = work.name;
    one["status"] = work.status;
    one["formation"] = work.formation;
    one["hours_of"] = work.on_devices ? "GPU" : "rank";
    one["units"] = {{"all", work.units()}, {"estimated", work.estimated()}};
    one["computing_seconds"] = {{"all", work.seconds()}, {"estimated", work.estimated_seconds()}};
    one["claim_seconds"] = {{"rank_0", work.root_claim_seconds}, {"others", work.claim_seconds}};
    one["setup_seconds"] = nullptr;
    if (work.setup_seconds >= 0) one["setup_seconds"] = work.setup_seconds;
    one["own"] = nullptr;
    if (plan.own_makespan > 0) one["own"] = {{"measured", work.farm_seconds}, {"predicted", plan.own_makespan}};
    one["formations"] = nlohmann::ordered_json::array();
    for (const PlanRow& row : plan.rows) one["formations"].push_back(json_of(row, plan.deadline > 0));
    one["does_not_pay"] = nullptr;
    if (!plan.limit.formation.empty()) {
      one["does_not_pay"] = {{"from", plan.limit.formation},
                             {"against", plan.limit.before},
                             {"marginal_efficiency", plan.limit.marginal},
                             {"least", least_marginal_efficiency}};
    }
    one["critical_path"] = work.critical_path();
    one["deadline"] = nullptr;
    if (plan.deadline > 0) {
      one["deadline"] = {{"seconds", plan.deadline}, {"cheapest", nullptr}, {"shortest", plan.shortest}};
      if (plan.cheapest >= 0)
        one["deadline"]["cheapest"] = json_of(plan.rows[static_cast<std::size_t>(plan.cheapest)], true);
    }
    one["warnings"] = work.warnings;
    all.push_back(one);
  }
  return (all.size() == 1 ? all[0] : all).dump(2) + "\n";
}

}  // namespace krossfold::study
