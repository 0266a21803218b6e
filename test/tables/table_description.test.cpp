// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/tables/table_description.hpp"

#include <cmath>

#include "test/data/sample_files.hpp"

namespace krossfold::tables {
namespace {

using testing::ElementsAre;

TEST(TableDescription, says_what_was_understood) {
  const TableParams params{.group = "who", .drop = {"id"}, .missing = "mean", .categorical = "onehot"};
  const Table table = parse_table(
      test::bytes_of(
          "id;age;colour;size;who;kind\n1;31;red;1.5;a;yes\n2;44;blue;2;a;no\n3;NA;red;3;b;yes\n4;31;;2;b;yes\n"),
      "people.csv", params);
  const TableDescription description = describe(table, fit_encoding(table, {}, params), true);
  EXPECT_THAT(lines(description), ElementsAre("people.csv: text with semicolons and a header",
                                              "4 samples of 4 features (age, colour=blue, colour=red, size)",
                                              "label: column 6 (kind) with 2 classes: no 1 (25.0 %), yes 3 (75.0 %)",
                                              "2 groups", "left out: column 1 (id)"));
  ASSERT_EQ(description.columns.size(), 3u);
  const ColumnSummary &age = description.columns[0], &colour = description.columns[1], &size = description.columns[2];
  EXPECT_EQ(age.type, "whole number");
  EXPECT_EQ(age.missing, 1);
  EXPECT_EQ(age.distinct, 2);
  EXPECT_EQ(age.lowest, 31);
  EXPECT_EQ(age.highest, 44);
  EXPECT_EQ(colour.type, "text");
  EXPECT_EQ(colour.missing, 1);
  EXPECT_EQ(colour.distinct, 2);
  EXPECT_TRUE(std::isnan(colour.lowest));
  EXPECT_EQ(size.type, "number");
  EXPECT_EQ(size.distinct, 3);
  EXPECT_EQ(size.column, 4);
}

}  // namespace
}  // namespace krossfold::tables
