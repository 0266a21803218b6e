// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/stage_times.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "krossfold/core/error.hpp"
#include "krossfold/planning/farm_plan.hpp"
#include "krossfold/studies/bag/units.hpp"
#include "test/studies/bag/sample_result.hpp"

namespace krossfold {
namespace {

using studies::bag_plan_work;
using testing::HasSubstr;

/// Every record takes as long as its unit costs, times 100 for bootstrap 0, 200 for the others.
class BagPlan : public test::BagResult {
protected:
  std::vector<Record> records = all_records();
  std::vector<Unit> units;  ///< that the study hands out for these records

  BagPlan() {
    search.folds_together = false;  // on devices, too
    studies::BagStudy study(search);
    units = study.initial();
    for (const Record& record : records) {
      for (Unit& unit : study.on_record(record)) units.push_back(std::move(unit));
    }
    double now = 0;
    for (Record& record : records) {
      record.seconds = time_of(record.key);
      record.started = now;
      record.rank = 0;
      now += record.seconds + 1.0 / 64;
    }
    facts.status = "stopped";
    facts.formation = "2x3xserial";
    facts.setup_seconds = 1.5;
  }
  const Unit& unit_of(const UnitKey& key) const {
    return *std::find_if(units.begin(), units.end(), [&](const Unit& unit) { return unit.key == key; });
  }
  double time_of(const UnitKey& key) const { return (key.index[0] == 0 ? 100 : 200) * unit_of(key).cost; }
  void drop(const UnitKey& key) {
    std::erase_if(records, [&](const Record& record) { return record.key == key; });
  }
  planning::PlannedWork work() const { return bag_plan_work({"r.h5", result(records)}); }
};

const planning::PlanUnit* find(const planning::PlannedWork& work, const UnitKey& key) {
  for (const auto& stage : work.stages) {
    for (const auto& unit : stage.units) {
      if (unit.unit.key == key) return &unit;
    }
  }
  return nullptr;
}

TEST_F(BagPlan, has_the_units_of_the_study_with_their_costs_priorities_and_measured_times) {
  const planning::PlannedWork plan = work();
  EXPECT_EQ(plan.units(), static_cast<int>(units.size()));
  EXPECT_EQ(plan.estimated(), 0);
  for (const Unit& unit : units) {
    const auto* planned = find(plan, unit.key);
    ASSERT_NE(planned, nullptr);
    EXPECT_DOUBLE_EQ(planned->unit.cost, unit.cost);
    EXPECT_EQ(planned->unit.priority, unit.priority);
    EXPECT_EQ(planned->seconds, time_of(unit.key));
  }
  EXPECT_EQ(plan.status, "stopped");
  EXPECT_EQ(plan.setup_seconds, 1.5);
  EXPECT_FALSE(plan.on_devices);
  EXPECT_NEAR(plan.root_claim_seconds, 1.0 / 64, 1e-9);
  EXPECT_THAT(plan.warnings, testing::IsEmpty());
}

TEST_F(BagPlan, a_final_fit_waits_for_the_trials_of_its_own_bootstrap_only) {
  const planning::PlannedWork plan = work();
  planning::PlanStudy study(plan);
  EXPECT_EQ(study.initial().size(), 18u);
  for (int t = 0; t < 2; ++t) {
    for (int f = 0; f < 3; ++f) {
      const auto ready = study.on_record({.key = {studies::bag_unit_trial, {1, t, f}}});
      ASSERT_EQ(ready.size(), t == 1 && f == 2 ? 1u : 0u);
      for (const Unit& unit : ready) EXPECT_EQ(unit.key, (UnitKey{studies::bag_unit_final, {1, 1, 0}}));
    }
  }
}

TEST_F(BagPlan, estimates_a_fold_by_the_others_of_its_trial_and_a_trial_by_all) {
  const UnitKey fold{studies::bag_unit_trial, {0, 0, 1}}, last{studies::bag_unit_final, {0, 0, 0}};
  drop(fold);
  drop(last);
  planning::PlannedWork plan = work();
  EXPECT_EQ(plan.estimated(), 2);
  EXPECT_NEAR(find(plan, fold)->seconds, time_of(fold), 1e-9 * time_of(fold));
  // Without the fold the trial of the final fit is not known: the mean of both, each at the ratio of its own folds.
  const auto stage = plan.stages.at(1);
  ASSERT_EQ(stage.units.size(), 1u);
  EXPECT_TRUE(stage.units[0].estimated);
  EXPECT_NEAR(stage.units[0].seconds, 100 * stage.units[0].unit.cost, 1e-9 * stage.units[0].seconds);

  double seconds = 0, cost = 0;
  for (int f = 0; f < 3; ++f) drop({studies::bag_unit_trial, {0, 0, f}});
  for (const Record& record : records) {
    if (record.key.kind != studies::bag_unit_trial) continue;
    seconds += record.seconds;
    cost += unit_of(record.key).cost;
  }
  plan = work();
  EXPECT_NEAR(find(plan, fold)->seconds, unit_of(fold).cost * seconds / cost, 1e-9 * seconds);
}

TEST_F(BagPlan, a_failed_unit_took_its_time_and_few_measured_ones_are_warned_of) {
  for (Record& record : records) {
    if (record.key.kind == studies::bag_unit_trial) record.status = Status::failed;
  }
  facts.status = "finished";
  planning::PlannedWork plan = work();
  EXPECT_EQ(plan.units(), 18) << "no trial is left for a final fit";
  EXPECT_EQ(plan.estimated(), 0);
  records.resize(5);
  facts.status = "stopped";
  plan = work();
  EXPECT_EQ(plan.units(), 21);
  ASSERT_EQ(plan.warnings.size(), 1u);
  EXPECT_THAT(plan.warnings[0], HasSubstr("only 5 of 18"));
}

TEST_F(BagPlan, on_devices_the_folds_of_a_trial_are_one_unit) {
  facts.formation = "1x2xCUDA";
  for (Record& record : records) {
    if (record.key.kind != studies::bag_unit_trial) continue;
    record.started = 1000.0 * record.key.index[0] + 400 * record.key.index[1];
    record.seconds = 1;
  }
  const planning::PlannedWork plan = work();
  EXPECT_EQ(plan.units(), 3 * 2 + 3);
  const auto* unit = find(plan, {studies::bag_unit_trial, {2, 1, 2}});
  ASSERT_NE(unit, nullptr);
  EXPECT_EQ(unit->seconds, 3);
  EXPECT_DOUBLE_EQ(unit->unit.cost, 3 * unit_of(unit->unit.key).cost);
}

TEST_F(BagPlan, folds_that_were_pruned_before_they_were_computed_are_no_units) {
  search.params.prune = true;
  const int all = work().units();
  drop({studies::bag_unit_trial, {0, 1, 2}});
  EXPECT_EQ(work().units(), all - 1);
  drop({studies::bag_unit_trial, {0, 0, 2}});
  const planning::PlannedWork plan = work();
  EXPECT_THAT(plan.warnings, testing::ElementsAre(HasSubstr("pruning will skip")));
}

TEST_F(BagPlan, a_file_of_version_1_has_the_size_of_its_images_with_the_shown_or_they_are_square) {
  run::ResultFile file{"r.h5", result(records)};
  for (const char* name : {"image_width", "image_height", "image_channels"}) file.content.attributes.erase(name);
  const double cost = find(work(), units[0].key)->unit.cost;
  EXPECT_EQ(find(bag_plan_work(file), units[0].key)->unit.cost, cost);
  std::erase_if(file.content.arrays, [](const auto& array) { return array.path.starts_with("/shown/"); });
  EXPECT_EQ(find(bag_plan_work(file), units[0].key)->unit.cost, cost);
  file.content.attributes["n_features"] = std::int64_t{63};
  EXPECT_THROW(bag_plan_work(file), Error);
}

TEST_F(BagPlan, refuses_a_file_without_times_and_networks_that_are_none) {
  const auto message_of = [](const storage::Container& content) -> std::string {
    try {
      bag_plan_work({"r.h5", content});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message_of(result({})), HasSubstr("r.h5 has no times to plan from"));
  storage::Container bad = result(records);
  for (storage::Array& array : bad.arrays) {
    if (array.path == "/search/kernel") std::get<std::vector<std::int32_t>>(array.values)[3] = 9;
  }
  EXPECT_THAT(message_of(bad), HasSubstr("bootstrap 1 has a trial that is no network"));
}

TEST_F(BagPlan, a_plan_predicts_no_less_than_the_critical_path) {
  const planning::PlannedWork plan = work();
  const auto predicted = planning::make_plan(plan, {.formations = {planning::parse_formation("1x2")}});
  ASSERT_EQ(predicted.rows.size(), 1u);
  EXPECT_GE(predicted.rows[0].makespan, plan.critical_path());
  EXPECT_LE(predicted.rows[0].makespan, plan.seconds());
}

}  // namespace
}  // namespace krossfold
