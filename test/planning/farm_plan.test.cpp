// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/planning/farm_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "krossfold/parallel/farm_simulation.hpp"

namespace krossfold::planning {
namespace {

using parallel::Schedule;

PlanUnit unit_of(std::uint32_t kind, int stage, int number, double seconds) {
  PlanUnit unit;
  unit.unit = {{kind, {stage, number, 0}}, seconds};
  unit.seconds = seconds;
  return unit;
}

PlanStage stage_of(std::uint32_t kind, int number, const std::vector<double>& seconds, std::vector<int> after = {}) {
  PlanStage stage;
  for (std::size_t k = 0; k < seconds.size(); ++k) {
    stage.units.push_back(unit_of(kind, number, static_cast<int>(k), seconds[k]));
  }
  stage.after = std::move(after);
  return stage;
}

/// A study whose claims take no time.
PlannedWork work_of(std::vector<PlanStage> stages) {
  PlannedWork work;
  work.stages = std::move(stages);
  work.claim_seconds = 0;
  return work;
}

PlanParams params_of(const std::string& formations, double deadline = 0) {
  PlanParams params;
  params.formations = parse_formations(formations);
  params.deadline = deadline;
  return params;
}

// As in a bagging study: bootstraps whose trials are needed by a final fit each, one of them without any trial left.
PlannedWork bagging() {
  return work_of({stage_of(1, 0, {4, 2, 1}), stage_of(1, 1, {1, 1, 1}), stage_of(1, 2, {}), stage_of(2, 0, {5}, {0}),
                  stage_of(2, 1, {3}, {1}), stage_of(2, 2, {2}, {2})});
}

TEST(PlanStudy, hands_out_every_unit_once_after_all_that_it_waits_for) {
  const PlannedWork work = bagging();
  for (const Schedule schedule : parallel::all_schedules) {
    PlanStudy study(work);
    parallel::SimulatedFarm farm;
    farm.queue = {schedule, {0, 0, 1}, 0};
    const auto run = parallel::simulate(
        study, [](const Unit& unit) { return unit.cost; }, farm);
    std::set<UnitKey> seen;
    std::map<int, double> trials_end;
    for (const auto& one : run.units) {
      const int bootstrap = one.unit.key.index[0];
      EXPECT_TRUE(seen.insert(one.unit.key).second);
      if (one.unit.key.kind == 1) {
        trials_end[bootstrap] = std::max(trials_end[bootstrap], one.started + one.seconds);
      } else {
        EXPECT_GE(one.started, trials_end[bootstrap]);
      }
    }
    EXPECT_EQ(static_cast<int>(seen.size()), work.units());
  }
}

TEST(PlannedWork, its_critical_path_is_the_longest_chain) {
  EXPECT_DOUBLE_EQ(bagging().critical_path(), 9);
  EXPECT_DOUBLE_EQ(bagging().seconds(), 20);
  EXPECT_DOUBLE_EQ(
      work_of({stage_of(1, 0, {2, 3}), stage_of(2, 0, {1}, {0}), stage_of(3, 0, {4}, {1})}).critical_path(), 8);
}

// 5 1 1 1 4 4, then 2: by hand.
TEST(Plan, rows_are_those_worked_out_by_hand) {
  const PlannedWork work = work_of({stage_of(1, 0, {5, 1, 1, 1, 4, 4}), stage_of(2, 0, {2}, {0})});
  const Plan plan = make_plan(work, params_of("1x1,1x2,1x1@2"));
  ASSERT_EQ(plan.rows.size(), 3u);
  EXPECT_DOUBLE_EQ(plan.rows[0].makespan, 18);
  EXPECT_DOUBLE_EQ(plan.rows[0].speed_up, 1);
  EXPECT_DOUBLE_EQ(plan.rows[1].makespan, 10);
  EXPECT_DOUBLE_EQ(plan.rows[1].utilisation, 0.9);
  EXPECT_DOUBLE_EQ(plan.rows[1].speed_up, 1.8);
  EXPECT_DOUBLE_EQ(plan.rows[1].bound, 9);
  EXPECT_DOUBLE_EQ(plan.rows[1].rank_hours, 20. / 3600);
  EXPECT_DOUBLE_EQ(plan.rows[2].makespan, 9);
  EXPECT_DOUBLE_EQ(plan.rows[2].bound, 9);
}

TEST(Plan, claims_and_what_comes_before_the_farm_count) {
  PlannedWork work = work_of({stage_of(1, 0, {1, 1})});
  work.root_claim_seconds = 0.25;
  work.claim_seconds = 0.5;
  work.setup_seconds = 3;
  const Plan plan = make_plan(work, params_of("1x1,1x2"));
  EXPECT_DOUBLE_EQ(plan.rows[0].makespan, 2.5);
  EXPECT_DOUBLE_EQ(plan.rows[1].makespan, 1.5);
  EXPECT_DOUBLE_EQ(plan.rows[1].seconds, 4.5);
  EXPECT_DOUBLE_EQ(plan.rows[1].rank_hours, 9. / 3600);
}

TEST(Plan, no_row_is_faster_than_its_bound_and_dynamic_wins) {
  std::vector<double> seconds;
  for (int k = 0; k < 60; ++k) seconds.push_back(1 + (k * 37) % 23);
  PlanParams params = params_of("1x1,1x3,2x3,1x2@1+1x4@0.5");
  params.schedules = {Schedule::dynamic, Schedule::fixed, Schedule::shuffled, Schedule::node_static};
  const Plan plan = make_plan(work_of({stage_of(1, 0, seconds), stage_of(2, 0, {9}, {0})}), params);
  ASSERT_EQ(plan.rows.size(), 16u);
  for (std::size_t k = 0; k < plan.rows.size(); ++k) {
    SCOPED_TRACE(plan.rows[k].formation + " " + plan.rows[k].schedule);
    EXPECT_GE(plan.rows[k].makespan, plan.rows[k].bound * (1 - 1e-12));
    EXPECT_LE(plan.rows[k].utilisation, 1 + 1e-12);
    EXPECT_GE(plan.rows[k].makespan, plan.rows[k / 4 * 4].makespan * (1 - 1e-12));
  }
}

TEST(Plan, names_the_cheapest_formation_in_time) {
  // 16 equal units: 1x4 and 1x8 use their ranks fully, 1x3 does not.
  const PlannedWork work = work_of({stage_of(1, 0, std::vector<double>(16, 1))});
  const auto cheapest = [&](double deadline) {
    const Plan plan = make_plan(work, params_of("1x1,1x3,1x4,1x8,1x16,1x32", deadline));
    return plan.cheapest < 0 ? "none" : plan.rows[static_cast<std::size_t>(plan.cheapest)].formation;
  };
  EXPECT_EQ(cheapest(20), "1x16");  // all but 1x3 and 1x32 cost the same: the earliest end
  EXPECT_EQ(cheapest(1), "1x16");
  EXPECT_EQ(cheapest(0.99), "none");
  const Plan plan = make_plan(work, params_of("1x3,1x5,1x32", 6));
  EXPECT_EQ(plan.rows[static_cast<std::size_t>(plan.cheapest)].formation, "1x3");
  EXPECT_DOUBLE_EQ(plan.shortest, 1);
  EXPECT_NE(report::to_text(plan_document(make_plan(work, params_of("1x1", 0.5)))).find("none of these; the shortest"),
            std::string::npos);
}

TEST(Plan, says_from_where_on_ranks_do_not_pay) {
  const PlannedWork work = work_of({stage_of(1, 0, std::vector<double>(8, 1))});
  const Plan plan = make_plan(work, params_of("1x4,1x1,1x32,1x8,1x16"));
  EXPECT_EQ(plan.limit.formation, "1x16");
  EXPECT_EQ(plan.limit.before, "1x8");
  EXPECT_DOUBLE_EQ(plan.limit.marginal, 0);
  EXPECT_EQ(make_plan(work, params_of("1x1,1x2,1x4")).limit.formation, "");
  // 7 ranks are as slow as 4, but 8 pay again.
  EXPECT_EQ(make_plan(work, params_of("1x4,1x7,1x8")).limit.formation, "");
}

TEST(Plan, tries_larger_formations_until_they_do_not_pay_or_the_deadline_is_met) {
  const PlannedWork work = work_of({stage_of(1, 0, std::vector<double>(12, 1))});
  const auto names = [&](double deadline) {
    PlanParams params;
    params.deadline = deadline;
    std::vector<std::string> names;
    for (const PlanRow& row : make_plan(work, params).rows) names.push_back(row.formation);
    return names;
  };
  // 12, 6, 3, 2, 1 seconds: 8 ranks add 2 to the speed-up of 4, 16 add 6 to that of 8, 32 nothing.
  EXPECT_THAT(names(0), testing::ElementsAre("1x1", "1x2", "1x4", "2x4", "4x4", "8x4"));
  const PlannedWork dependent = work_of({stage_of(1, 0, std::vector<double>(12, 1)), stage_of(2, 0, {30}, {0})});
  PlanParams params;
  EXPECT_EQ(make_plan(dependent, params).rows.back().formation, "1x2");
  params.deadline = 33;
  const Plan plan = make_plan(dependent, params);
  EXPECT_EQ(plan.rows.back().formation, "1x4");
  EXPECT_EQ(plan.cheapest, 2);
}

TEST(Plan, predicts_the_farm_that_the_times_are_from) {
  PlannedWork work = work_of({stage_of(1, 0, {5, 1, 1, 1, 4, 4})});
  work.status = "finished";
  work.schedule = "static";
  for (const auto& [formation, seconds] :
       std::map<std::string, double>{{"1x2xSerial", 9}, {"1x1xCUDA", 16}, {"1+1xSerial", 9}, {"what", 0}, {"", 0}}) {
    work.formation = formation;
    EXPECT_DOUBLE_EQ(make_plan(work, params_of("1x1")).own_makespan, seconds) << formation;
  }
  work.formation = "1x1xSerial";
  work.status = "stopped";
  EXPECT_EQ(make_plan(work, params_of("1x1")).own_makespan, 0);
}

TEST(Plan, hours_are_those_of_what_the_study_ran_on) {
  PlannedWork work = work_of({stage_of(1, 0, {3600})});
  EXPECT_NE(report::to_text(plan_document(make_plan(work, params_of("1x1")))).find("rank-hours"), std::string::npos);
  work.on_devices = true;
  EXPECT_NE(report::to_text(plan_document(make_plan(work, params_of("1x1")))).find("GPU-hours"), std::string::npos);
  EXPECT_NE(report::to_json({plan_document(make_plan(work, params_of("1x1")))}).find("\"hours_of\": \"GPU\""),
            std::string::npos);
}

}  // namespace
}  // namespace krossfold::planning
