// SPDX-License-Identifier: BSD-3-Clause
// Warnings of columns that number the samples or tell who they are.
#include <functional>

#include "krossfold/core/text.hpp"
#include "krossfold/tables/table.hpp"
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
using testing::StartsWith;

using Value = std::function<long long(int)>;

/// The warnings of a table of two features, the given column at this place, and a label.
std::vector<std::string> warnings(const std::string& name, const Value& value, bool first = true,
                                  const TableParams& params = {}, int samples = 60) {
  std::string content = first ? name + ",x,k\n" : "x," + name + ",k\n";
  for (int i = 0; i < samples; ++i) {
    const std::string x = text(i * i % 997, ".5"), number = std::to_string(value(i)), k = i % 3 == 0 ? ",p\n" : ",q\n";
    content += first ? text(number, ",", x, k) : text(x, ",", number, k);
  }
  return table(content, params).warning;
}

long long shuffled(int i) { return 1 + 37LL * i % 61; }  // 1 ... 61 but for one, in another order
long long part_of_rows(int i) { return 3 * i / 2 + 1; }  // two rows of three, in order

TEST(IndexWarnings, look_at_the_first_column_that_is_used) {
  std::string content = "\"\",\"id\",\"x\",\"k\"\n";
  for (int i = 0; i < 60; ++i)
    content +=
        text("\"", part_of_rows(i), "\",", part_of_rows(i), ",", i * i % 997, ".5", i % 3 == 0 ? ",p\n" : ",q\n");
  EXPECT_THAT(
      table(content).warning,
      ElementsAre("column 1 has no name, like the index that pandas writes or R's row names; column 2 (id) holds "
                  "ascending whole numbers, like an index; they are used as features: leave them out with "
                  "--drop 1,id unless they mean something"))
      << "no columns that are equal";
  EXPECT_THAT(table(content, {.drop = {"1"}}).warning,
              ElementsAre("column 2 (id) holds ascending whole numbers, like an index, and is used as a feature: leave "
                          "it out with --drop id unless it means something"));
  EXPECT_THAT(table(content, {.drop = {"1", "id"}}).warning, IsEmpty());
}

TEST(IndexWarnings, find_row_numbers_in_any_order_and_column) {
  for (const bool first : {true, false}) {
    EXPECT_THAT(warnings("n", shuffled, first),
                ElementsAre(AllOf(HasSubstr("(n) holds whole numbers close together that all differ, like an index"),
                                  HasSubstr("--drop n "))));
    EXPECT_THAT(warnings(
                    "n", [](int i) { return i == 7 ? shuffled(8) : shuffled(i); }, first),
                IsEmpty())
        << "one number twice";
    EXPECT_THAT(warnings(
                    "n", [](int i) { return 5 * shuffled(i) % 1003; }, first),
                IsEmpty())
        << "far apart";
  }
  EXPECT_THAT(warnings(
                  "n", [](int i) { return i * i + 1LL; }, false),
              IsEmpty())
      << "ascends, as measurements may";
  EXPECT_THAT(warnings("n", shuffled, true, {}, 20), IsEmpty()) << "few samples";
}

TEST(IndexWarnings, know_the_names_of_identifiers) {
  const Value twenty = [](int i) { return 13LL * (i * 7 % 20); };
  for (const std::string name : {"id", "ID", "patient_id", "PatientID", "customerId", "cell.id", "row.names",
                                 "rownames", "Subject", "USUBJID", "childid", "schoolid"})
    EXPECT_THAT(warnings(name, twenty, false),
                ElementsAre(AllOf(HasSubstr(text("(", name, ") has the name of an identifier, and is used")),
                                  HasSubstr("one patient, say --group " + name + " instead"))));
  for (const std::string name : {"acid", "PAID", "valid", "Covid", "idle", "subjective", "y"})
    EXPECT_THAT(warnings(name, twenty, false), IsEmpty()) << name;
  EXPECT_THAT(warnings("id", twenty, false, {.group = "x"}), Contains(testing::EndsWith("means something")));
  EXPECT_THAT(warnings(
                  "id", [](int i) { return 13LL * (i % 2); }, false),
              IsEmpty())
      << "two values";
  EXPECT_THAT(table("id,x,k\n0.5,2,p\n1.25,3,q\n3.75,7,p\n2.5,4,q\n").warning, IsEmpty()) << "fractions";
}

TEST(IndexWarnings, leave_amounts_and_times_alone) {
  const Value price = [](int i) { return 202000 + 9973LL * (31 * i * i % 79) % 700000; };
  const Value seconds = [](int i) { return 1700000000 + 44LL * (37 * i % 61) * (37 * i % 61); };
  EXPECT_THAT(warnings("price", price), IsEmpty());
  EXPECT_THAT(warnings("time", seconds), Not(Contains(HasSubstr("identifier"))));
  EXPECT_THAT(warnings("price_id", price), Contains(HasSubstr("has the name of an identifier")));
}

TEST(IndexWarnings, give_advice_on_groups_where_few_samples_share_a_value) {
  const auto of_values = [](int values) { return [values](int i) { return 13LL * (i * 7 % values); }; };
  EXPECT_THAT(warnings("hour_id", of_values(6), false), ElementsAre(Not(HasSubstr("--group")))) << "ten each";
  EXPECT_THAT(warnings("hour_id", of_values(8), false), ElementsAre(HasSubstr("--group hour_id instead")));
  EXPECT_THAT(warnings("id", of_values(60), false), ElementsAre(Not(HasSubstr("--group")))) << "none shared";
}

TEST(IndexWarnings, are_in_the_order_of_the_columns) {
  std::string content = "x,y_id,z,k\n";
  for (int i = 0; i < 60; ++i)
    content += text(shuffled(i), ",", 13 * (i * 7 % 20), ",", -3 + 2 * i, i % 3 == 0 ? ",p\n" : ",q\n");
  EXPECT_THAT(
      table(content).warning,
      ElementsAre(AllOf(StartsWith("column 1 (x) holds whole numbers close together that all differ"),
                        HasSubstr("; column 2 (y_id) has the name of an identifier; column 3 (z) counts in equal"))));
}

TEST(IndexWarnings, of_many_samples_tell_one_equal_pair_from_none) {
  for (const long long prime : {10007, 1000003}) {
    const Value value = [=](int i) { return 7919LL * i % prime - 3; };
    const Value pair = [=](int i) { return value(i == 8999 ? 5 : i); };
    EXPECT_THAT(warnings("n", value, false, {}, 9000), Contains(HasSubstr("that all differ"))) << prime;
    EXPECT_THAT(warnings("n", pair, false, {}, 9000), IsEmpty()) << prime;
  }
}

TEST(IndexWarnings, call_words_above_which_no_name_stands_row_names) {
  std::string content = ",legs,class\n";
  for (int i = 0; i < 12; ++i) content += text("animal", i, ",", i * i % 997, ".5", i % 3 == 0 ? ",bird\n" : ",fish\n");
  EXPECT_THAT(table(content, {.categorical = "onehot"}).warning,
              ElementsAre(AllOf(StartsWith("column 1 has no name, like the index that pandas writes or R's row names"),
                                HasSubstr("--drop 1 "))));
  EXPECT_THAT(table(content, {.drop = {"1"}, .categorical = "onehot"}).warning, IsEmpty());
}

TEST(IndexWarnings, call_a_column_without_a_name_by_its_number_among_names) {
  EXPECT_THAT(table("1,,k\n2,2,a\n9,9,b\n4,4,a\n", {.header = "yes"}).warning,
              ElementsAre(HasSubstr("columns that are equal: 1 = column 2")));
}

}  // namespace
}  // namespace krossfold::tables
