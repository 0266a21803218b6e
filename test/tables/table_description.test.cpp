// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/tables/table_description.hpp"

#include <cmath>

#include "krossfold/core/text.hpp"
#include "krossfold/tables/readers.hpp"
#include "test/data/sample_files.hpp"
#include "test/data/sparse_pair.hpp"

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
                                              "label: column 6 (kind), the last column in use (--label names another), "
                                              "with 2 classes: no 1 (25.0 %), yes 3 (75.0 %)",
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

/// Everything that is said of the samples in both forms.
void expect_same_description(const Matrix<const float>& raw, const Vector<const int>& label, std::size_t warnings) {
  const std::vector<std::string> classes{"a", "b", "c"};
  const data::Dataset dense = data::make_dataset("t", raw, label, classes);
  const data::Dataset sparse = data::make_sparse_dataset("t", data::sparse_values(dense), label, classes);
  const Table left = table_of(dense, "a test"), right = table_of(sparse, "a test");
  EXPECT_EQ(left.warning.size(), warnings);
  EXPECT_EQ(left.warning, right.warning);
  const TableDescription a = describe(left, fit_encoding(left, {}, {}), true);
  const TableDescription b = describe(right, fit_encoding(right, {}, {}), true);
  EXPECT_EQ(lines(a), lines(b));
  EXPECT_EQ(a.repeated, b.repeated);
  EXPECT_EQ(a.contradicting, b.contradicting);
  ASSERT_EQ(a.columns.size(), b.columns.size());
  for (std::size_t j = 0; j < a.columns.size(); ++j) {
    const ColumnSummary &one = a.columns[j], &other = b.columns[j];
    EXPECT_EQ(one.type, other.type) << j;
    EXPECT_EQ(one.missing, other.missing) << j;
    EXPECT_EQ(one.distinct, other.distinct) << j;
    EXPECT_EQ(one.lowest, other.lowest) << j;
    EXPECT_EQ(one.highest, other.highest) << j;
    EXPECT_NEAR(one.mean, other.mean, 1e-9 * (1 + std::abs(one.mean))) << j;
  }
}

TEST(TableDescription, of_sparse_samples_is_that_of_their_dense_form) {
  const auto pair = test::sparse_pair(60, 80, 0.05, 3, true);
  const Matrix<float> raw("krossfold::test::raw", 60, 80);
  const Vector<int> label("krossfold::test::label", 60);
  Kokkos::deep_copy(raw, pair.dense.raw);
  Kokkos::deep_copy(label, pair.dense.label);
  for (int i = 0; i < 60; ++i) {
    raw(i, 0) = static_cast<float>(i);              // an index
    raw(i, 7) = 0;                                  // one value
    raw(i, 9) = 2;                                  // one value, all of them entries
    raw(i, 11) = raw(i, 30) = raw(i, 31);           // equal columns
    raw(i, 40) = 3e7F + static_cast<float>(2 * i);  // merged by single precision, and counting
    raw(i, 41) = i % 2 == 0 ? 3e7F : 0;             // not merged
  }
  expect_same_description(raw, label, 4);
  for (int j = 0; j < 80; ++j) raw(20, j) = raw(21, j) = raw(5, j);  // twins, one of them of another label
  label(20) = label(5);
  label(21) = (label(5) + 1) % 3;
  expect_same_description(raw, label, 4);  // one more, and no column counts any more
}

TEST(TableDescription, of_entries_names_columns_as_the_file_does) {
  for (const int first : {0, 1}) {
    std::string content;
    for (int i = 0; i < 12; ++i)
      content += text(i % 2, " ", first, ":", i, " ", first + 1, ":5 ", first + 2, ":", i % 5, "\n");
    const Table table = table_of(parse_libsvm(test::bytes_of(content), "t.svm"), "");
    EXPECT_THAT(table.warning, testing::Contains(testing::EndsWith(text("in every sample: ", first + 1))));
    EXPECT_THAT(table.warning, testing::Contains(testing::StartsWith(text("column ", first, " counts"))));
    EXPECT_EQ(describe(table, fit_encoding(table, {}, {}), true).columns[2].column, first + 2);
    EXPECT_THAT(table.warning, testing::Contains(testing::HasSubstr("leave it out of the file unless")));
    EXPECT_THAT(table.warning, testing::Each(testing::Not(testing::HasSubstr("--drop"))));
  }
}

TEST(TableDescription, of_entries_names_a_second_column_that_counts_beside_the_first) {
  for (const int first : {0, 1}) {
    std::string content;
    for (int i = 0; i < 12; ++i) content += text(i % 2, " ", first, ":", i, " ", first + 1, ":", 3 * i + 1, "\n");
    const Table table = table_of(parse_libsvm(test::bytes_of(content), "t.svm"), "");
    EXPECT_THAT(table.warning, testing::Contains(testing::StartsWith(text("column ", first, " counts 0, 1, 2"))));
    EXPECT_THAT(table.warning, testing::Contains(testing::HasSubstr(text("; column ", first + 1, " counts in equal"))));
  }
}

}  // namespace
}  // namespace krossfold::tables
