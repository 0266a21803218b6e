// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/data/sample_files.hpp"
#include "test/tables/parsed_table.hpp"

namespace krossfold::tables {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string gaps = "x,y\n1,a\nNA,b\n3,NA\n4,a\nNA,\n6,b\n";

TEST(MissingLabels, are_left_out_and_never_filled_in_once_missing_says_what_becomes_of_gaps) {
  for (const char* missing : {"mean", "median"}) {
    const Table read = table(gaps, {.label = "y", .missing = missing});
    EXPECT_THAT(read.line, ElementsAre(2, 3, 5, 7)) << missing;
    EXPECT_THAT(read.row, ElementsAre(0, 1, 3, 5)) << missing;
    EXPECT_THAT(read.label.code, ElementsAre(0, 1, 0, 1)) << missing;
    EXPECT_TRUE(read.incomplete) << "a feature of line 3";
    EXPECT_THAT(read.dropped, ElementsAre("2 samples that lack a label"));
    EXPECT_THAT(read.warning, Contains("t.csv: 1 sample whose label is 'NA' was left out (line 4): it counts as "
                                       "missing (give it another name if it is a class)"));
    EXPECT_THAT(read.warning, Contains("t.csv: 1 sample without a label was left out (line 6)"));
  }
  EXPECT_FALSE(table("x,y\n1,a\nNA,\n3,b\n", {.missing = "mean"}).incomplete)
      << "only the sample left out lacked a value";
  std::string many = "x,y\n1,a\n2,b\n";
  for (int i = 0; i < 7; ++i) many += "5,\n";
  EXPECT_THAT(table(many, {.label = "y", .missing = "mean"}).warning,
              Contains("t.csv: 7 samples without a label were left out (lines 4, 5, 6, 7, 8, ...)"));
}

TEST(MissingLabels, are_refused_by_default_with_the_way_out) {
  test::expect_input_error([] { table(gaps, {.label = "y"}); }, {"line 3, column 1 (x): the value is missing"});
  test::expect_input_error([] { table("x,y\n1,a\n2,\n", {.label = "y"}); },
                           {"line 3, column 2 (y): the label is missing (it is empty)",
                            "--missing mean or median leaves out those without a label and fills in features",
                            "--missing drop leaves out all that lack a value"});
  const TableParams kept{.label = "y", .kept = true};
  EXPECT_TRUE(table("x,y\n1,a\n,b\n", kept).incomplete);
  test::expect_input_error([&] { table("x,y\n1,a\nNA,\n", kept); }, {"line 3, column 2 (y): the label is missing"});
  test::expect_input_error([] { table("x,y\n1,\n2,\n", {.label = "y", .missing = "mean"}); },
                           {"t.csv holds no samples to use", "2 lack a label"});
  test::expect_input_error([] { table("x,y\n,a\n2,\n", {.missing = "drop"}); },
                           {"t.csv holds no complete samples", "2 lack a value", "--missing mean or median"});
}

TEST(MissingLabels, of_a_column_that_nobody_named_say_so_first) {
  test::expect_input_error([] { table("x,sex\n1,f\n2,NA\n"); },
                           {"the last column was taken for the label, as --label names none",
                            "Name the column of the label with --label NAME; for this one, remove such samples"});
  EXPECT_THAT(table("x,sex\n1,f\n2,NA\n3,m\n", {.missing = "median"}).warning,
              Contains(AllOf(HasSubstr("whose label is 'NA' was left out"), HasSubstr("as --label names none"))));
}

TEST(MissingLabels, of_most_samples_are_refused_where_nobody_named_the_column) {
  const std::string remarks = "x,y,remark\n1,a,\n2,b,odd\n3,a,\n4,b,\n5,b,again\n";
  test::expect_input_error([&] { table(remarks, {.missing = "median", .categorical = "onehot"}); },
                           {"t.csv: 3 of 5 samples lack a label (column 3 (remark), the last column, was taken for",
                            "Name the column of the label with --label NAME"});
  test::expect_input_error([&] { table(remarks, {.missing = "drop", .categorical = "onehot"}); },
                           {"t.csv: 3 of 5 samples lack a label", "--label NAME"});
  EXPECT_EQ(table(remarks, {.label = "remark", .missing = "median", .categorical = "onehot"}).size(), 2);
  EXPECT_EQ(table("x,y\n1,a\n2,\n3,b\n4,NA\n", {.missing = "median"}).size(), 2) << "half of them";
}

TEST(MissingLabels, that_may_be_classes_or_groups_are_refused_unless_missing_drop_says_that_they_go) {
  for (const std::string word : {"None", "NULL", "null"}) {
    const std::string named = "x,y\n1,mild\n2," + word + "\n3,severe\n",
                      of_groups = "x,g,y\n1,p,a\n2," + word + ",b\n3,q,a\n";
    for (const char* missing : {"refuse", "mean", "median"}) {
      test::expect_input_error([&] { table(named, {.label = "y", .missing = missing}); },
                               {"line 3, column 2 (y): the label is missing (it says '" + word + "')",
                                "Give it another name if it is a class", "with --missing drop"});
      test::expect_input_error([&] { table(of_groups, {.label = "y", .group = "g", .missing = missing}); },
                               {"line 3, column 2 (g): the group is missing (it says '" + word + "')",
                                "Give it another name if it is a group"});
    }
    EXPECT_THAT(table(named, {.label = "y", .missing = "drop"}).warning,
                Contains(HasSubstr("1 sample whose label is '" + word + "' was left out (line 3)")));
    EXPECT_EQ(table(of_groups, {.label = "y", .group = "g", .missing = "drop"}).size(), 2);
    const TableParams params{.label = "y", .missing = "median"};
    const TableEncoding model = fit_encoding(table("x,y\n1,mild\n2,severe\n", params), {}, params);
    test::expect_input_error([&] { table(named, params, &model); },
                             {"the label is missing", "Give it another name if it is a class"});
    TableParams to_predict = params;
    to_predict.labelled = false;
    EXPECT_EQ(table(named, to_predict, &model).size(), 3);
  }
}

TEST(MissingLabels, of_a_whole_test_file_are_answered_with_what_takes_such_samples) {
  for (const char* missing : {"mean", "drop"}) {
    const TableParams params{.label = "y", .missing = missing};
    const TableEncoding model = fit_encoding(table("x,y\n1,a\n2,b\n", params), {}, params);
    test::expect_input_error(
        [&] { table("x,y\n1,\n2,\n", params, &model); },
        {"t.csv holds no", "(2 lack a label)", "Give the samples of a test file labels; krossfold predict takes"});
  }
}

TEST(MissingLabels, of_data_to_test_are_left_out_and_of_data_to_predict_kept) {
  const TableParams params{.label = "y", .missing = "mean"};
  const TableEncoding model = fit_encoding(table("x,y\n1,a\n2,b\n", params), {}, params);
  const Table tested = table("x,y\n7,a\n8,\n,b\n", params, &model);
  EXPECT_THAT(tested.line, ElementsAre(2, 4));
  EXPECT_THAT(tested.warning, Contains("t.csv: 1 sample without a label was left out (line 3)"));
  TableParams to_predict = params;
  to_predict.labelled = false;
  const Table predicted = table("x,y\n7,a\n8,\n,b\n", to_predict, &model);
  EXPECT_THAT(predicted.label.code, ElementsAre(0, -1, 1));
  EXPECT_THAT(predicted.warning, Not(Contains(HasSubstr("left out"))));
}

TEST(MissingFields, of_groups_and_weights_leave_samples_out_too) {
  const TableParams params{.label = "y", .group = "g", .weight = "w", .missing = "median"};
  const Table read = table("x,g,w,y\n1,p,1,a\n2,NA,1,b\n3,q,,b\n4,q,2,b\n", params);
  EXPECT_THAT(read.line, ElementsAre(2, 5));
  EXPECT_THAT(read.weight, ElementsAre(1, 2));
  EXPECT_THAT(read.group.code, ElementsAre(0, 1));
  EXPECT_THAT(read.dropped, ElementsAre("2 samples that lack a group or weight"));
  EXPECT_THAT(read.warning, Contains(HasSubstr("1 sample whose group is 'NA' was left out (line 3)")));
  EXPECT_THAT(read.warning, Contains("t.csv: 1 sample without a weight was left out (line 4)"));
}

TEST(MissingFields, for_which_test_samples_are_dropped_are_warned_of) {
  const TableParams params{.label = "y", .missing = "drop"};
  const TableEncoding model = fit_encoding(table("x,y\n1,a\n2,b\n", params), {}, params);
  EXPECT_THAT(table("x,y\n7,a\n,b\n8,\n9,a\n", params, &model).warning,
              ElementsAre("t.csv: 2 of 4 samples lack a value and were left out, as --missing drop says"));
  EXPECT_THAT(table("x,y\n7,a\n", params, &model).warning, IsEmpty());
}

TEST(MissingWords, that_may_be_categories_are_warned_of) {
  const std::string content = "x,exer,n,y\n1,Some,None,a\n2,None,4,b\n3,NA,5,a\n4,\"None\",6,b\n5,,7,b\n6,Some,8,a\n";
  for (const char* missing : {"median", "drop"}) {
    EXPECT_THAT(table(content, {.missing = missing, .categorical = "onehot"}).warning,
                Contains("t.csv: words that may be categories count as missing: 'None' in column 2 (exer), 2 samples "
                         "beside empty fields, 'NA' (if they are, give them other names)"))
        << missing << ": not of numbers, as in column n";
  }
  const std::string quoted = "x,exer,n,y\n1,Some,p,a\n2,\"None\",\"quit\",b\n3,Some,p,a\n4,Some,quit,b\n";
  EXPECT_THAT(table(quoted, {.missing = "mean", .categorical = "onehot"}).warning,
              Contains(HasSubstr("'None' in column 2 (exer), 1 sample")))
      << "before another field in quotes";
  EXPECT_THAT(table("c,y\nred,a\nNA,b\n,a\nblue,b\n", {.missing = "mean", .categorical = "onehot"}).warning,
              Not(Contains(HasSubstr("may be categories"))));
  test::expect_input_error([&] { table(content, {.categorical = "onehot"}); },
                           {"(it says 'None')", "give it another name if it is a value"});
}

}  // namespace
}  // namespace krossfold::tables
