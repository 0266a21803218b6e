// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/study_kind.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "test/run/sample_file.hpp"
#include "test/storage/temporary_folder.hpp"

namespace krossfold::run {
namespace {

using testing::AllOf;
using testing::HasSubstr;

ResultFile file_of(const std::string& kind) {
  ResultFile file = test::item_file(2, {test::item_record(0, 0, 3)});
  file.content.attributes["kind"] = kind;
  return file;
}

TEST(StudyRegistry, finds_kinds_by_their_whole_name_and_keeps_their_order) {
  const StudyRegistry registry = test::item_registry();
  ASSERT_EQ(registry.kinds().size(), 2u);
  EXPECT_EQ(registry.kinds()[0]->name(), "items");
  EXPECT_EQ(registry.kinds()[1]->name(), "things");
  EXPECT_EQ(registry.find("things"), registry.kinds()[1].get());
  for (const char* name : {"", "item", "itemss", "Items"}) EXPECT_EQ(registry.find(name), nullptr) << name;
  EXPECT_EQ(StudyRegistry().find("items"), nullptr);
}

TEST(StudyRegistry, refuses_files_of_unknown_kinds_and_says_what_they_hold) {
  const StudyRegistry registry = test::item_registry();
  EXPECT_EQ(registry.kind_of(file_of("items")).name(), "items");
  const std::string message = test::message_of(ExitCode::usage, [&] { registry.kind_of(file_of("network model")); });
  EXPECT_THAT(message, AllOf(HasSubstr("there/r.h5 is not a result file"), HasSubstr("it holds: network model"),
                             HasSubstr("output of a study")));
  test::message_of(ExitCode::usage, [&] { registry.kind_of({"r.h5", {}}); });
}

TEST(StudyRegistry, reads_a_file_and_brings_older_ones_up_to_date) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "r.h5";
  ResultFile old = file_of("things");
  std::erase_if(old.content.arrays, [](const storage::Array& array) { return array.path == "/item"; });
  for (storage::Array& array : old.content.arrays) array.scales.clear();
  storage::write_container(path, old.content);
  const ResultFile read = test::item_registry().read(path);
  EXPECT_EQ(read.name, path);
  EXPECT_THAT(read.content.values<std::int32_t>("/item"), testing::ElementsAre(0, 1));
  UnitCounts counts;
  counts.add(storage::FieldReader(read.content, read.name), test::item_schema().unit);
  EXPECT_EQ(counts.all, 2);
  EXPECT_EQ(counts.done, 1);
}

TEST(StudyRegistry, does_not_read_what_is_no_result_file) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "r.h5";
  storage::write_container(path, file_of("svm model").content);
  const StudyRegistry registry = test::item_registry();
  const auto refusal = [&](const std::string& of) {
    return test::message_of(ExitCode::usage, [&] { registry.read(of); });
  };
  EXPECT_THAT(refusal(path), AllOf(HasSubstr(path), HasSubstr("it holds: svm model")));
  EXPECT_THAT(refusal(folder / "none.h5"), HasSubstr("none.h5"));
  test::put(path, "no container");
  EXPECT_THAT(refusal(path), HasSubstr(path));
}

TEST(ComparableUnits, are_what_the_summary_says_without_a_quality) {
  ResultSummary summary;
  summary.data = "digits";
  summary.ranks = 4;
  summary.seconds = 10;
  summary.unit_seconds = 30;
  summary.utilisation = 0.75;
  const Comparable one = comparable_units(summary);
  EXPECT_EQ(one.data, "digits");
  EXPECT_EQ(one.ranks, 4);
  EXPECT_EQ(one.seconds, 10);
  EXPECT_EQ(one.computing, 30);
  EXPECT_EQ(one.utilisation, 0.75);
  EXPECT_TRUE(std::isnan(one.quality));
  summary.utilisation = 0;
  EXPECT_TRUE(std::isnan(comparable_units(summary).utilisation)) << "not known";
}

planning::PlannedWork four_units() {
  planning::PlannedWork work;
  work.name = "r.h5";
  work.formation = "1x1xserial";
  work.schedule = "dynamic";
  work.claim_seconds = 0;
  planning::PlanStage& stage = work.stages.emplace_back();
  for (int u = 0; u < 4; ++u) stage.units.push_back({.unit = {.key = {0, {u, 0, 0}}, .cost = 1}, .seconds = 3});
  return work;
}

TEST(PlanUnits, simulates_the_formations_and_schedules_that_it_is_asked_for) {
  PlanRequest request;
  request.formations = planning::parse_formations("1x1,1x2");
  request.schedules = {parallel::Schedule::dynamic, parallel::Schedule::fixed};
  const std::string csv = report::to_csv({plan_units(four_units(), request)});
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 2);
  for (const char* row : {"r.h5,1x1,1,dynamic,12,", "r.h5,1x1,1,static,12,", "r.h5,1x2,2,dynamic,6,"}) {
    EXPECT_THAT(csv, HasSubstr(row));
  }
}

TEST(PlanUnits, keeps_to_the_deadline) {
  PlanRequest request;
  request.formations = planning::parse_formations("1x1,1x2,1x4");
  request.deadline = 7;
  EXPECT_THAT(report::to_text(plan_units(four_units(), request)), HasSubstr("within 7 s: 1x4"));  // of equal hours
  request.deadline = 2;
  EXPECT_THAT(report::to_text(plan_units(four_units(), request)), HasSubstr("within 2 s: none of these"));
}

TEST(PlanUnits, refuses_the_link_which_has_no_meaning_for_searches) {
  PlanRequest latency, bandwidth;
  latency.latency = 1e-6;
  bandwidth.bandwidth = 1e9;
  for (const PlanRequest& request : {latency, bandwidth}) {
    EXPECT_THAT(test::message_of(ExitCode::usage, [&] { plan_units(four_units(), request); }),
                HasSubstr("latency and bandwidth have no meaning for searches"));
  }
}

}  // namespace
}  // namespace krossfold::run
