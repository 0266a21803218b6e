// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/plan_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "test/run/sample_file.hpp"
#include "test/storage/temporary_folder.hpp"

namespace krossfold::run {
namespace {

using test::item_file;
using test::item_record;
using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
const UnitFields& field = test::item_schema().unit;

planning::PlannedWork begin(const ResultFile& file) {
  return begin_plan(file, ResultSummary(file), "search of items", {field});
}

TEST(IsTime, is_what_a_clock_may_show) {
  for (const double time : {0.0, 1e-9, 1e9}) EXPECT_TRUE(is_time(time)) << time;
  for (const double none : {nan, infinity, -infinity, -1e-9}) EXPECT_FALSE(is_time(none)) << none;
}

TEST(UnitTimes, are_those_of_units_with_a_record_whatever_the_file_has_for_others) {
  ResultFile file = item_file(3, {item_record(0, 0, 2), item_record(1, 2, 3)});
  for (storage::Array& array : file.content.arrays) {
    if (array.path == "/unit/status") array.values = std::vector<std::int32_t>{1, 0, 0};
  }
  EXPECT_THAT(unit_times(storage::FieldReader(file.content, file.name), field),
              testing::ElementsAre(2, testing::IsNan(), testing::IsNan()));
}

TEST(PlanUnit, takes_its_measured_time_or_else_is_estimated) {
  const Unit unit{.key = {3, {1, 2, 0}}, .cost = 5};
  const planning::PlanUnit measured = plan_unit(unit, 0, 9), expected = plan_unit(unit, nan, 9);
  EXPECT_EQ(measured.seconds, 0);
  EXPECT_FALSE(measured.estimated);
  EXPECT_EQ(expected.seconds, 9);
  EXPECT_TRUE(expected.estimated);
  EXPECT_EQ(expected.unit.key, unit.key);
  EXPECT_EQ(expected.unit.cost, 5);
}

TEST(TimeRatio, is_that_of_the_sums_over_the_units_with_a_time) {
  TimeRatio ratio;
  EXPECT_EQ(ratio.value(7), 7);
  ratio.add(nan, 5);
  EXPECT_EQ(ratio.value(7), 7);
  ratio.add(3, 1);
  ratio.add(1, 1);
  EXPECT_EQ(ratio.value(7), 2);
  EXPECT_EQ(ratio.measured, 4);
}

TEST(BeginPlan, refuses_a_file_in_which_nothing_has_a_time) {
  for (const ResultFile& file : {item_file(3, {}), item_file(3, {item_record(1, 0, nan)})}) {
    const std::string message = test::message_of(ExitCode::usage, [&] { begin(file); });
    EXPECT_THAT(message, testing::AllOf(HasSubstr("there/r.h5 has no times to plan from"),
                                        HasSubstr("none of its 3 units has a record"), HasSubstr("max-time")));
  }
}

TEST(BeginPlan, takes_what_the_file_says_of_its_study) {
  ResultFile file = item_file(1, {item_record(0, 0, 2)});
  file.content.attributes = {{"status", std::string("stopped")},
                             {"formation", std::string("2x4xCUDA")},
                             {"schedule", std::string("static")},
                             {"seed", std::string("18446744073709551615")},
                             {"setup_seconds", 1.5},
                             {"seconds", 2.5}};
  const planning::PlannedWork work = begin(file);
  EXPECT_EQ(work.name, "there/r.h5");
  EXPECT_EQ(work.description, "search of items");
  EXPECT_EQ(work.status, "stopped");
  EXPECT_EQ(work.formation, "2x4xCUDA");
  EXPECT_EQ(work.schedule, "static");
  EXPECT_TRUE(work.on_devices);
  EXPECT_EQ(work.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(work.setup_seconds, 1.5);
  EXPECT_EQ(work.farm_seconds, 2.5);
  EXPECT_TRUE(work.stages.empty());
}

TEST(BeginPlan, of_an_older_file_without_attributes_has_their_defaults) {
  const planning::PlannedWork work = begin(item_file(1, {item_record(0, 0, 2)}));
  EXPECT_EQ(work.schedule, "dynamic");
  EXPECT_FALSE(work.on_devices);
  EXPECT_EQ(work.seed, 0u);
  EXPECT_EQ(work.setup_seconds, -1);
  EXPECT_EQ(work.farm_seconds, 0);
}

TEST(BeginPlan, knows_accelerators_by_the_end_of_the_formation) {
  ResultFile file = item_file(1, {item_record(0, 0, 2)});
  for (const char* formation : {"1x1xCUDA", "4+2xHIP", "2x8xSYCL"}) {
    file.content.attributes["formation"] = std::string(formation);
    EXPECT_TRUE(begin(file).on_devices) << formation;
  }
  for (const char* formation : {"1x1xserial", "2x4xOpenMP", "CUDAx1", ""}) {
    file.content.attributes["formation"] = std::string(formation);
    EXPECT_FALSE(begin(file).on_devices) << formation;
  }
}

TEST(BeginPlan, a_setup_time_that_is_none_is_unknown) {
  ResultFile file = item_file(1, {item_record(0, 0, 2)});
  for (const double none : {nan, -3.0, infinity}) {
    file.content.attributes["setup_seconds"] = none;
    EXPECT_EQ(begin(file).setup_seconds, -1) << none;
  }
  file.content.attributes["setup_seconds"] = 0.0;
  EXPECT_EQ(begin(file).setup_seconds, 0);
}

TEST(Claims, are_the_mean_pauses_of_rank_0_and_of_the_others) {
  // Rank 0 pauses 0.02 and 0.04 s, rank 1 0.01 s, rank 2 0.05 s; the records are in no order.
  const planning::PlannedWork work = begin(
      item_file(8, {item_record(5, 2.06, 1), item_record(0, 0, 1), item_record(1, 1.02, 1), item_record(2, 2.01, 3, 1),
                    item_record(3, 0, 2, 1), item_record(4, 7, 0.5, 2), item_record(6, 7.55, 1, 2)}));
  EXPECT_NEAR(work.root_claim_seconds, 0.03, 1e-12);
  EXPECT_NEAR(work.claim_seconds, 0.03, 1e-12);
}

TEST(Claims, do_not_count_a_stop_of_the_study_and_what_no_clock_shows) {
  // A pause of 100 s, and a unit that began before the one before it had ended.
  const planning::PlannedWork work = begin(
      item_file(5, {item_record(0, 0, 1), item_record(1, 101, 1), item_record(2, 101.5, 1), item_record(3, nan, 1)}));
  EXPECT_EQ(work.root_claim_seconds, 0);
  EXPECT_EQ(work.claim_seconds, planning::usual_claim_seconds);
}

TEST(Claims, records_of_one_start_are_one_unit) {
  const planning::PlannedWork work = begin(
      item_file(4, {item_record(0, 0, 1), item_record(1, 0, 2), item_record(2, 3.0625, 1), item_record(3, 3.0625, 1)}));
  EXPECT_EQ(work.root_claim_seconds, 0.0625);
}

TEST(Claims, of_a_file_that_does_not_tell_starts_or_ranks_are_the_usual) {
  for (const char* path : {"/unit/started", "/unit/rank"}) {
    ResultFile file = item_file(2, {item_record(0, 0, 1, 1), item_record(1, 1.05, 1, 1)});
    EXPECT_NEAR(begin(file).claim_seconds, 0.05, 1e-12);
    std::erase_if(file.content.arrays, [&](const storage::Array& array) { return array.path == path; });
    EXPECT_EQ(begin(file).claim_seconds, planning::usual_claim_seconds) << path;
  }
}

TEST(IndependentUnits, without_a_time_take_the_mean_of_the_measured) {
  const ResultFile file = item_file(4, {item_record(0, 0, 1), item_record(2, 1, 4)});
  const planning::PlannedWork work = plan_independent_units(file, ResultSummary(file), "items", field);
  ASSERT_EQ(work.stages.size(), 1u);
  EXPECT_EQ(work.stages[0].name, "units");
  EXPECT_TRUE(work.stages[0].after.empty());
  const std::vector<double> expected{1, 2.5, 4, 2.5};
  ASSERT_EQ(work.stages[0].units.size(), 4u);
  for (int u = 0; u < 4; ++u) {
    const planning::PlanUnit& unit = work.stages[0].units[static_cast<std::size_t>(u)];
    EXPECT_EQ(unit.unit.key, (UnitKey{0, {u, 0, 0}}));
    EXPECT_EQ(unit.seconds, expected[static_cast<std::size_t>(u)]);
    EXPECT_EQ(unit.estimated, u % 2 == 1);
  }
  EXPECT_EQ(work.seconds(), 10);
  EXPECT_EQ(work.estimated_seconds(), 5);
}

}  // namespace
}  // namespace krossfold::run
