// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/unit_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "test/run/sample_file.hpp"
#include "test/storage/temporary_folder.hpp"

namespace krossfold::run {
namespace {

using test::item_record;
using testing::ElementsAre;

Record failed(int item, const std::string& reason) {
  Record record = item_record(item, 5, 0.25, 1);
  record.status = Status::failed;
  record.reason = reason;
  return record;
}

TEST(UnitTable, a_unit_without_a_record_has_no_time_no_rank_and_no_status) {
  const UnitTable table(2);
  for (const std::size_t unit : {0, 1}) {
    EXPECT_TRUE(std::isnan(table.seconds[unit]));
    EXPECT_TRUE(std::isnan(table.started[unit]));
    EXPECT_EQ(table.rank[unit], -1);
    EXPECT_EQ(table.status[unit], 0);
    EXPECT_EQ(table.reason[unit], "");
  }
}

TEST(UnitTable, goes_into_a_file_and_comes_back_with_units_and_axes) {
  const ResultFile file = test::item_file(3, {item_record(2, 4, 1.5, 7), failed(0, "out of memory")});
  const storage::Container read = [&] {
    storage::Container content = file.content;
    content.attributes["kind"] = std::string("items");
    return storage::container_from_bytes(storage::to_bytes(content), file.name);
  }();
  const storage::FieldReader reader(read, file.name);
  const UnitFields& field = test::item_schema().unit;
  EXPECT_THAT(reader.get(field.rank), ElementsAre(1, -1, 7));
  EXPECT_THAT(reader.get(field.status), ElementsAre(2, 0, 1));
  EXPECT_THAT(reader.get(field.reason), ElementsAre("out of memory", "", ""));
  EXPECT_THAT(reader.get(field.started), ElementsAre(5, testing::IsNan(), 4));
  EXPECT_THAT(reader.get(field.seconds), ElementsAre(0.25, testing::IsNan(), 1.5));
  EXPECT_EQ(read.at("/unit/seconds").units, "s");
  EXPECT_THAT(read.at("/unit/status").scales, ElementsAre("/item"));
}

TEST(UnitTable, of_a_study_without_units_is_empty_and_still_written) {
  const ResultFile file = test::item_file(0, {});
  UnitCounts counts;
  counts.add(storage::FieldReader(file.content, file.name), test::item_schema().unit);
  EXPECT_EQ(counts.all, 0);
  EXPECT_EQ(counts.seconds, 0);
}

TEST(UnitCounts, are_by_status_with_the_time_of_all_and_the_first_reason) {
  ResultFile file = test::item_file(6, {item_record(0, 0, 1), item_record(1, 1, 2), failed(3, "first"), failed(4, "")});
  for (storage::Array& array : file.content.arrays) {
    if (array.path == "/unit/status") std::get<std::vector<std::int32_t>>(array.values)[5] = status_pruned;
  }
  const storage::FieldReader reader(file.content, file.name);
  UnitCounts counts;
  counts.add(reader, test::item_schema().unit);
  EXPECT_EQ(counts.all, 6);
  EXPECT_EQ(counts.done, 2);
  EXPECT_EQ(counts.failed, 2);
  EXPECT_EQ(counts.pruned, 1);
  EXPECT_DOUBLE_EQ(counts.seconds, 1 + 2 + 0.25 + 0.25);
  EXPECT_EQ(counts.first_reason, "first");
  counts.add(reader, test::item_schema().unit);  // as of several groups of units
  EXPECT_EQ(counts.all, 12);
  EXPECT_EQ(counts.failed, 4);
  EXPECT_EQ(counts.first_reason, "first");
}

TEST(UnitCounts, refuse_columns_of_different_lengths) {
  ResultFile file = test::item_file(3, {});
  for (storage::Array& array : file.content.arrays) {
    if (array.path != "/unit/reason") continue;
    array.values = std::vector<std::string>(2);
    array.shape = {2};
  }
  const std::string message = test::message_of(ExitCode::usage, [&] {
    UnitCounts().add(storage::FieldReader(file.content, file.name), test::item_schema().unit);
  });
  EXPECT_THAT(message, testing::HasSubstr("/unit/reason has 2 entries along item, but there are 3"));
}

TEST(StatusName, is_that_of_result_files_and_unknown_for_other_numbers) {
  EXPECT_STREQ(status_name(static_cast<std::int32_t>(Status::missing)), "missing");
  EXPECT_STREQ(status_name(static_cast<std::int32_t>(Status::done)), "done");
  EXPECT_STREQ(status_name(static_cast<std::int32_t>(Status::failed)), "failed");
  EXPECT_STREQ(status_name(status_pruned), "pruned");
  for (const std::int32_t other : {-1, 4, 1 << 30}) EXPECT_STREQ(status_name(other), "unknown");
}

}  // namespace
}  // namespace krossfold::run
