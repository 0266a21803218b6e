// SPDX-License-Identifier: BSD-3-Clause
#include "own_tables.hpp"

#include <algorithm>

#include "krossfold/core/text.hpp"
#include "krossfold/tables/readers.hpp"
#include "krossfold/tables/table.hpp"

namespace krossfold::tables {
namespace {

using test::expect_input_error;
using test::flowers;
using test::own_table;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<std::string> flower_names{"sepal length (cm)", "sepal width (cm)", "petal length (cm)",
                                            "petal width (cm)"};

data::Dataset read(const std::string& file, const TableParams& params = {}) {
  return table_dataset(read_table(own_table(file), params), params);
}

std::vector<std::string> warnings(const std::string& file, const TableParams& params = {}) {
  return read_table(own_table(file), params).warning;
}

TEST(OwnTables, give_the_same_data_in_every_dialect_of_pandas) {
  const Digest digest = flowers().digest;
  for (const char* file : {"flowers.csv", "flowers_semicolon.csv", "flowers_tab.tsv", "flowers_blank.txt",
                           "flowers_quoted.csv", "flowers_bom.csv", "flowers_crlf.csv", "flowers_excel.csv"}) {
    SCOPED_TRACE(file);
    const data::Dataset dataset = read(file);
    EXPECT_EQ(dataset.digest, digest);
    EXPECT_EQ(dataset.feature_names(), flower_names);
    EXPECT_THAT(warnings(file), IsEmpty());
  }
  EXPECT_EQ(read("flowers_trailing.csv").digest, digest);
  EXPECT_THAT(warnings("flowers_trailing.csv"), ElementsAre(HasSubstr("the delimiter at the end of every line")));
  EXPECT_EQ(read("flowers_no_header.csv").digest, digest);
  EXPECT_THAT(read("flowers_no_header.csv").feature_names(), IsEmpty());
  EXPECT_THAT(warnings("flowers_no_header.csv"), IsEmpty());
}

TEST(OwnTables, take_the_default_header_of_pandas_for_a_header) {
  EXPECT_EQ(read("flowers_numeric_header.csv").digest, flowers().digest);
  EXPECT_THAT(read("flowers_numeric_header.csv").feature_names(), ElementsAre("0", "1", "2", "3"));
  EXPECT_EQ(read("flowers_numeric_header_index.csv", {.drop = {"-6"}}).digest,
            read("flowers_index.csv", {.drop = {"1"}}).digest);
  EXPECT_EQ(read("flowers_all_numbers.csv").digest, flowers({"0", "1", "2"}).digest);
  EXPECT_EQ(read("flowers_target.csv").digest, flowers({"0", "1", "2"}).digest);
  for (const char* file : {"flowers_numeric_header.csv", "flowers_all_numbers.csv", "flowers_target.csv"}) {
    EXPECT_THAT(warnings(file), IsEmpty()) << file;
  }
}

TEST(OwnTables, skip_the_comment_that_numpy_writes_and_say_so) {
  EXPECT_EQ(read("flowers_savetxt.txt").digest, flowers({"0", "1", "2"}).digest);
  EXPECT_THAT(warnings("flowers_savetxt.txt"), ElementsAre(HasSubstr("skipped as a comment")));
}

TEST(OwnTables, warn_of_the_index_of_pandas_until_it_is_dropped) {
  for (const char* file : {"flowers_index.csv", "flowers_numeric_header_index.csv"}) {
    SCOPED_TRACE(file);
    EXPECT_EQ(read(file).features(), 5);
    EXPECT_THAT(warnings(file), ElementsAre(testing::AllOf(
                                    HasSubstr("column 1 has no name, like the index that pandas writes"),
                                    HasSubstr(std::string(file) == "flowers_index.csv" ? "drop 1 " : "drop -6 "))));
  }
  EXPECT_EQ(read("flowers_index.csv", {.drop = {"1"}}).digest, flowers().digest);
  EXPECT_THAT(warnings("flowers_index.csv", {.drop = {"1"}}), IsEmpty());
}

TEST(OwnTables, read_decimal_commas_and_refuse_other_encodings_clearly) {
  EXPECT_EQ(read("flowers_decimal_comma.csv").digest, flowers().digest);
  EXPECT_EQ(read("flowers_decimal_comma.csv", {.categorical = "onehot"}).digest, flowers().digest);
  expect_input_error([] { read("flowers_decimal_comma.csv", {.decimal = "point"}); },
                     {"flowers_decimal_comma.csv, line 2, column 1", "'5,1' has a decimal comma", "decimal point"});
  expect_input_error([] { read("flowers_decimal_comma.csv", {.decimal = "point", .categorical = "onehot"}); },
                     {"line 2, column 1", "decimal comma"});
  expect_input_error([] { read("flowers_utf16.csv"); }, {"flowers_utf16.csv is text in UTF-16", "UTF-8"});
}

TEST(OwnTables, read_the_label_from_the_column_that_is_named) {
  EXPECT_EQ(read("flowers_label_first.csv", {.label = "species"}).digest, flowers().digest);
  EXPECT_EQ(read("flowers_label_first.csv", {.label = "1"}).digest, flowers().digest);
  EXPECT_EQ(read("flowers_label_first.csv", {.label = "-5"}).digest, flowers().digest);
  expect_input_error([] { read("flowers_label_first.csv"); },
                     {"line 2, column 1 (species)", "'setosa' is not a number", "label", "drop", "onehot"});
  expect_input_error([] { read("flowers_label_first.csv", {.label = "specie"}); },
                     {"no column called 'specie'", "Did you mean species?"});
}

TEST(OwnTables, match_the_columns_of_a_model_by_name) {
  const Table table = read_table(own_table("flowers.csv"));
  const TableEncoding encoding = fit_encoding(table, {}, {});
  for (const char* file :
       {"flowers_swapped.csv", "flowers_label_first.csv", "flowers_index.csv", "flowers_semicolon.csv"}) {
    SCOPED_TRACE(file);
    const Table other = read_table(own_table(file), {}, &encoding);
    EXPECT_EQ(encode(other, encoding, {}, {"setosa", "versicolor", "virginica"}).digest, flowers().digest);
    EXPECT_THAT(other.warning, IsEmpty());
  }
}

TEST(OwnTables, refuse_missing_values_with_line_and_column) {
  expect_input_error([] { read("people.csv"); },
                     {"people.csv, line 2, column 2 (colour)", "'red' is not a number", "categorical onehot"});
  expect_input_error([] { read("people.csv", {.categorical = "onehot"}); },
                     {"people.csv, line 4, column 1 (age)", "missing", "median"});
}

TEST(OwnTables, fill_in_means_and_medians_and_encode_words_as_pandas_does) {
  const auto expected = test::numbers_in("filled.txt");
  ASSERT_EQ(expected.size(), 16u);
  for (const char* missing : {"mean", "median"}) {
    const data::Dataset dataset =
        read("people.csv",
             {.label = "ill", .group = "visit", .weight = "trust", .missing = missing, .categorical = "onehot"});
    EXPECT_THAT(dataset.feature_names(), ElementsAre("age", "colour=blue", "colour=green", "colour=red", "height"));
    ASSERT_EQ(dataset.size(), 8);
    const std::size_t first = std::string(missing) == "mean" ? 0 : 8;
    for (int i = 0; i < 8; ++i) {
      for (int j = 0; j < 5; ++j) {
        EXPECT_EQ(dataset.raw(i, j),
                  static_cast<float>(expected[first + static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]))
            << i << ", " << j;
      }
    }
    EXPECT_THAT(std::vector<int>(dataset.group.data(), dataset.group.data() + 8), ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
    EXPECT_THAT(std::vector<double>(dataset.weight.data(), dataset.weight.data() + 8),
                ElementsAre(1, 0.5, 1, 2, 1, 0.25, 1, 1));
  }
}

TEST(OwnTables, leave_out_the_samples_that_pandas_drops) {
  const TableParams params{
      .label = "ill", .group = "visit", .weight = "trust", .missing = "drop", .categorical = "onehot"};
  EXPECT_EQ(read("people.csv", params).digest, read("people_complete.csv", params).digest);
  EXPECT_THAT(read_table(own_table("people.csv"), params).dropped, ElementsAre("4 samples that lack a value"));
}

TEST(OwnTables, in_libsvm_format_may_count_from_zero) {
  for (const char* file : {"flowers_zero_based.libsvm", "flowers_one_based.libsvm"}) {
    EXPECT_EQ(read_libsvm(own_table(file)).digest, flowers({"0", "1", "2"}).digest) << file;
  }
  const data::Dataset one = read_libsvm(own_table("one_based.libsvm"));
  EXPECT_EQ(read_libsvm(own_table("zero_based.libsvm"), {.first_index = 0}).digest, one.digest);
  EXPECT_EQ(read_libsvm(own_table("zero_based.libsvm")).digest, one.digest) << "its first index is not 0";
  expect_input_error([] { read_libsvm(own_table("zero_based.libsvm"), {.first_index = 1}); },
                     {"zero_based.libsvm, line 2", "the index 0", "as in the training data"});
}

TEST(OwnTables, warn_of_an_index_in_any_column) {
  EXPECT_THAT(warnings("numbered.csv"),
              ElementsAre(testing::AllOf(HasSubstr("column 4 (sample_no) counts in equal steps"),
                                         HasSubstr("drop sample_no "))));
  EXPECT_THAT(warnings("numbered.csv", {.drop = {"sample_no"}}), IsEmpty());
  const auto counting = [](const auto& value) {
    std::string lines = "x,n,kind\n";
    for (int i = 0; i < 40; ++i) lines += text(0.1 * ((7 * i) % 40), ",", value(i), ",", i % 3 == 0 ? "a" : "b", "\n");
    const auto all = parse_table(test::bytes_of(lines), "t.csv").warning;
    return std::any_of(all.begin(), all.end(), [](const auto& one) { return one.find("like an index") != one.npos; });
  };
  EXPECT_TRUE(counting([](int i) { return i; }));
  EXPECT_TRUE(counting([](int i) { return 0.5 * i + 3; }));
  EXPECT_TRUE(counting([](int i) { return 1000 - 7 * i; }));
  EXPECT_TRUE(counting([](int i) { return 1700000000LL + 1024 * i; }));
  EXPECT_FALSE(counting([](int i) { return i * i; })) << "strictly ascending";
  EXPECT_FALSE(counting([](int i) { return i + (i == 20 ? 0.1 : 0); }));
  EXPECT_FALSE(counting([](int i) { return 10 * i + i % 2; }));
  EXPECT_FALSE(counting([](int) { return 5; }));
}

TEST(OwnTables, name_a_column_to_drop_so_that_it_is_the_one) {
  const auto found = warnings("flowers_numeric_header_index.csv", {.drop = {"1"}});
  EXPECT_THAT(found, testing::Contains(HasSubstr("leave it out with --drop -6 "))) << "1 is a name";
}

TEST(OwnTables, warn_of_labels_with_fractions) {
  EXPECT_THAT(
      warnings("label_first.csv"),
      testing::Contains(testing::AllOf(HasSubstr("petal width (cm)"), HasSubstr("distinct numbers with fractions"),
                                       HasSubstr("name it with --label"))));
  EXPECT_THAT(warnings("label_first.csv", {.label = "target"}),
              testing::Not(testing::Contains(HasSubstr("fractions"))));
}

TEST(OwnTables, take_groups_for_the_same_however_their_number_is_written) {
  const Table table = read_table(own_table("visits.csv"), {.label = "kind", .group = "visit"});
  EXPECT_EQ(table.group.word.size(), 8u);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(table.group.word[static_cast<std::size_t>(table.group.code[static_cast<std::size_t>(i)])],
              std::to_string(i / 4));
}

TEST(OwnTables, warn_of_targets_of_a_regression) {
  EXPECT_THAT(warnings("regression.csv"),
              ElementsAre(testing::AllOf(HasSubstr("column 4 (target)"), HasSubstr("distinct numbers"),
                                         HasSubstr("a regression?"))));
  EXPECT_THAT(warnings("rare.csv"), IsEmpty());
}

}  // namespace
}  // namespace krossfold::tables
