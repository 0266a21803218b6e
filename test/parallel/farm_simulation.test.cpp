// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/farm_simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

namespace krossfold::parallel {
namespace {

struct ListStudy : Study {
  std::vector<Unit> units;
  std::function<std::vector<Unit>(const Record&)> then;
  std::vector<Unit> initial() override { return units; }
  std::vector<Unit> on_record(const Record& record) override { return then ? then(record) : std::vector<Unit>(); }
};

ListStudy study_of(const std::vector<double>& costs) {
  ListStudy study;
  for (std::size_t k = 0; k < costs.size(); ++k) study.units.push_back({{1, {static_cast<int>(k), 0, 0}}, costs[k]});
  return study;
}

SimulatedFarm farm_of(Schedule schedule, std::vector<int> node) {
  SimulatedFarm farm;
  farm.queue.schedule = schedule;
  farm.queue.node = std::move(node);
  return farm;
}

double as_expected(const Unit& unit) { return unit.cost; }

TEST(FarmSimulation, one_rank_computes_everything_one_after_the_other) {
  ListStudy study = study_of({3, 1, 2});
  const Simulation run = simulate(study, as_expected, farm_of(Schedule::dynamic, {0}));
  EXPECT_DOUBLE_EQ(run.makespan, 6);
  EXPECT_DOUBLE_EQ(run.utilisation, 1);
  ASSERT_EQ(run.units.size(), 3u);
  EXPECT_EQ(run.units[0].unit.key.index[0], 0);
  EXPECT_DOUBLE_EQ(run.units[1].started, 3);
  EXPECT_DOUBLE_EQ(run.units[2].started, 5);
}

// Schedules worked out by hand: costs 5 1 1 1 4 4 on two ranks of two nodes.
TEST(FarmSimulation, makespans_of_the_schedules_are_those_worked_out_by_hand) {
  const auto makespan = [](Schedule schedule, std::vector<int> node) {
    ListStudy study = study_of({5, 1, 1, 1, 4, 4});
    return simulate(study, as_expected, farm_of(schedule, std::move(node))).makespan;
  };
  EXPECT_DOUBLE_EQ(makespan(Schedule::dynamic, {0, 0}), 8);      // 5 1 1 1 | 4 4
  EXPECT_DOUBLE_EQ(makespan(Schedule::fixed, {0, 0}), 9);        // 5 1 1 | 1 4 4
  EXPECT_DOUBLE_EQ(makespan(Schedule::node_static, {0, 1}), 9);  // the same, as each node has one rank
  EXPECT_DOUBLE_EQ(makespan(Schedule::node_static, {0, 0}), 9);  // one queue in order: 5 4 | 1 1 1 4
  EXPECT_DOUBLE_EQ(makespan(Schedule::dynamic, {0, 0, 0}), 6);   // 5 1 | 4 1 | 4 1
}

TEST(FarmSimulation, a_manager_answers_one_claim_after_the_other) {
  SimulatedFarm farm = farm_of(Schedule::dynamic, std::vector<int>(50, 0));
  farm.manager_seconds = 0.1;
  ListStudy short_units = study_of(std::vector<double>(200, 1.0));
  // 50 ranks could take 50 units a second, and the manager hands out 10.
  EXPECT_NEAR(simulate(short_units, as_expected, farm).makespan, 200 * 0.1 + 1, 1e-9);
  ListStudy long_units = study_of(std::vector<double>(200, 100.0));
  // The ranks begin 0.1 s apart and stay so: four units each, and the last rank ends 50 x 0.1 s after the start of the first.
  EXPECT_NEAR(simulate(long_units, as_expected, farm).makespan, 4 * (100 + 0.1) + 49 * 0.1, 1e-9);
}

TEST(FarmSimulation, successors_start_when_what_they_need_is_done) {
  ListStudy study = study_of({2, 3});
  study.then = [left = 2](const Record& record) mutable -> std::vector<Unit> {
    if (record.key.kind != 1 || --left > 0) return {};
    return {{{2, {0, 0, 0}}, 4}};
  };
  const Simulation run = simulate(study, as_expected, farm_of(Schedule::dynamic, {0, 0}));
  EXPECT_DOUBLE_EQ(run.makespan, 7);
  EXPECT_DOUBLE_EQ(run.units.back().started, 3);
  EXPECT_DOUBLE_EQ(run.utilisation, 9. / 14);
}

TEST(FarmSimulation, faster_ranks_take_less_time_and_a_claim_takes_its_own) {
  ListStudy study = study_of({4, 4, 4});
  SimulatedFarm farm = farm_of(Schedule::dynamic, {0, 0});
  farm.speed = {2, 1};
  farm.claim_seconds = .5;
  const Simulation run = simulate(study, as_expected, farm);
  EXPECT_DOUBLE_EQ(run.makespan, 5);  // 0.5 + 2 + 0.5 + 2 beside 0.5 + 4
  EXPECT_DOUBLE_EQ(run.busy, 8);
  farm.root_claim_seconds = 1;
  EXPECT_DOUBLE_EQ(simulate(study, as_expected, farm).makespan, 6);  // 1 + 2 + 1 + 2 beside 0.5 + 4
}

// As in a bagging study: 12 bootstraps of 12 trials x 5 folds, and a final fit of each.
struct BaggingStudy : ListStudy {
  std::map<int, int> left;
  BaggingStudy(const std::vector<double>& trial_cost, const std::vector<double>& fit_cost) {
    for (int b = 0; b < 12; ++b) {
      left[b] = 60;
      for (int k = 0; k < 60; ++k)
        units.push_back({{1, {b, k, 0}}, trial_cost[static_cast<std::size_t>(b * 12 + k / 5)]});
    }
    then = [this, fit_cost](const Record& record) -> std::vector<Unit> {
      const int b = record.key.index[0];
      if (record.key.kind != 1 || --left[b] > 0) return {};
      return {{{2, {b, 0, 0}}, fit_cost[static_cast<std::size_t>(b)]}};
    };
  }
};

TEST(FarmSimulation, every_unit_runs_once_on_one_rank_at_a_time_after_what_it_needs) {
  std::vector<double> trial(144), fit(12);
  for (std::size_t k = 0; k < trial.size(); ++k) trial[k] = 1 + static_cast<double>((k * 37) % 23);
  for (std::size_t b = 0; b < fit.size(); ++b) fit[b] = 10 + static_cast<double>(b);
  for (const Schedule schedule : all_schedules) {
    BaggingStudy study(trial, fit);
    SimulatedFarm farm = farm_of(schedule, {0, 0, 0, 1, 1, 1});
    farm.claim_seconds = .01;
    const Simulation run = simulate(study, as_expected, farm);
    ASSERT_EQ(run.units.size(), 732u);
    std::map<UnitKey, int> seen;
    std::map<int, double> free;
    std::map<int, double> trials_end;
    for (const SimulatedUnit& one : run.units) {
      EXPECT_EQ(++seen[one.unit.key], 1);
      EXPECT_GE(one.started, free[one.rank]);
      free[one.rank] = one.started + one.seconds;
      if (one.unit.key.kind == 1) {
        double& end = trials_end[one.unit.key.index[0]];
        end = std::max(end, free[one.rank]);
      } else {
        EXPECT_GE(one.started, trials_end[one.unit.key.index[0]]);
      }
    }
  }
}

}  // namespace
}  // namespace krossfold::parallel
