// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/planning/planned_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace krossfold::planning {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Stage `number` with units of these times; those of a negative number are estimated.
PlanStage stage_of(int number, const std::vector<double>& seconds, std::vector<int> after = {}) {
  PlanStage stage;
  for (std::size_t k = 0; k < seconds.size(); ++k) {
    PlanUnit unit;
    unit.unit.key = {1, {number, static_cast<int>(k), 0}};
    unit.seconds = std::abs(seconds[k]);
    unit.estimated = seconds[k] < 0;
    stage.units.push_back(unit);
  }
  stage.after = std::move(after);
  return stage;
}

PlannedWork work_of(std::vector<PlanStage> stages) {
  PlannedWork work;
  work.stages = std::move(stages);
  return work;
}

/// (stage, number) of each.
std::vector<std::pair<int, int>> names_of(const std::vector<Unit>& units) {
  std::vector<std::pair<int, int>> names;
  for (const Unit& unit : units) names.emplace_back(unit.key.index[0], unit.key.index[1]);
  return names;
}

std::vector<std::pair<int, int>> after(PlanStudy& study, int stage, int number) {
  Record record;
  record.key = {1, {stage, number, 0}};
  record.status = Status::done;
  return names_of(study.on_record(record));
}

TEST(PlannedWork, sums_its_units_and_those_that_are_estimated) {
  const PlannedWork work = work_of({stage_of(0, {1, -2, 3}), stage_of(1, {}), stage_of(2, {-4}, {0})});
  EXPECT_EQ(work.units(), 4);
  EXPECT_EQ(work.estimated(), 2);
  EXPECT_EQ(work.seconds(), 10);
  EXPECT_EQ(work.estimated_seconds(), 6);
}

TEST(PlannedWork, without_units_takes_no_time) {
  for (const PlannedWork& work : {work_of({}), work_of({stage_of(0, {}), stage_of(1, {}, {0})})}) {
    EXPECT_EQ(work.units(), 0);
    EXPECT_EQ(work.seconds(), 0);
    EXPECT_EQ(work.critical_path(), 0);
  }
}

TEST(CriticalPath, goes_through_the_longest_unit_of_each_stage_and_the_later_of_those_waited_for) {
  // 0: 3, 1: 5; 2 waits for both: 5 + 1; 3 waits for 0: 3 + 2; 4, without units, for 3; 5 for 4: 5 + 4.
  const PlannedWork work = work_of({stage_of(0, {1, 3}), stage_of(1, {5, 5}), stage_of(2, {1}, {0, 1}),
                                    stage_of(3, {2}, {0}), stage_of(4, {}, {3}), stage_of(5, {4}, {4})});
  EXPECT_EQ(work.critical_path(), 9);
}

TEST(PlanStudy, begins_stages_when_the_last_unit_of_those_before_has_a_record) {
  const PlannedWork work =
      work_of({stage_of(0, {1, 1}), stage_of(1, {1}), stage_of(2, {1, 1}, {0, 1}), stage_of(3, {1}, {0})});
  PlanStudy study(work);
  using Name = std::pair<int, int>;
  EXPECT_THAT(names_of(study.initial()), ElementsAre(Name(0, 0), Name(0, 1), Name(1, 0)));
  EXPECT_THAT(after(study, 0, 1), IsEmpty());
  EXPECT_THAT(after(study, 0, 0), ElementsAre(Name(3, 0)));
  EXPECT_THAT(after(study, 1, 0), ElementsAre(Name(2, 0), Name(2, 1)));
  EXPECT_THAT(after(study, 2, 0), IsEmpty());
  EXPECT_THAT(after(study, 3, 0), IsEmpty());
  EXPECT_THAT(after(study, 2, 1), IsEmpty());
}

TEST(PlanStudy, goes_through_stages_without_units) {
  const PlannedWork work = work_of(
      {stage_of(0, {}), stage_of(1, {}, {0}), stage_of(2, {1}, {1}), stage_of(3, {}, {2}), stage_of(4, {1}, {3})});
  PlanStudy study(work);
  using Name = std::pair<int, int>;
  EXPECT_THAT(names_of(study.initial()), ElementsAre(Name(2, 0)));
  EXPECT_THAT(after(study, 2, 0), ElementsAre(Name(4, 0)));
}

TEST(PlanStudy, hands_out_the_units_as_the_study_gave_them) {
  PlannedWork work = work_of({stage_of(0, {1})});
  work.stages[0].units[0].unit.cost = 7;
  work.stages[0].units[0].unit.affinity = 3;
  work.stages[0].units[0].unit.priority = -2;
  PlanStudy study(work);
  const std::vector<Unit> units = study.initial();
  ASSERT_EQ(units.size(), 1u);
  EXPECT_EQ(units[0].cost, 7);
  EXPECT_EQ(units[0].affinity, 3);
  EXPECT_EQ(units[0].priority, -2);
}

}  // namespace
}  // namespace krossfold::planning
