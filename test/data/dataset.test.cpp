// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/dataset.hpp"

#include <limits>

#include "test/data/sample_files.hpp"

namespace krossfold::data {
namespace {

using test::expect_input_error;
using test::labels;
using test::matrix;
using testing::ElementsAre;

Dataset three_samples() {
  return make_dataset("three", matrix({{1, 2}, {3, 4.5}, {-5, 6}}), labels({0, 1, 1}), {"a", "b"});
}

TEST(Dataset, knows_its_range_and_whether_all_values_are_whole) {
  const Dataset mixed = three_samples();
  EXPECT_FALSE(mixed.integer);
  EXPECT_EQ(mixed.lowest, -5);
  EXPECT_EQ(mixed.highest, 6);
  EXPECT_TRUE(mixed.labelled());
  EXPECT_EQ(mixed.image.width, 0);

  // Rows of integers around the fraction; widths below, at and above the lanes of a vector register.
  for (const int columns : {1, 7, 16, 33}) {
    std::vector<std::vector<float>> values(3, std::vector<float>(columns, 2));
    EXPECT_TRUE(make_dataset("whole", matrix(values), {}, {}).integer);
    values[1][columns - 1] = 2.25;
    const Dataset dataset = make_dataset("one fraction", matrix(values), {}, {});
    EXPECT_FALSE(dataset.integer) << columns << " columns";
    EXPECT_EQ(dataset.highest, 2.25f);
    EXPECT_EQ(dataset.lowest, 2.0f);
  }
}

TEST(Dataset, digest_changes_with_any_value_label_shape_or_class) {
  const Digest digest = three_samples().digest;
  EXPECT_EQ(three_samples().digest, digest);
  const auto other = [](const std::vector<std::vector<float>>& values, const std::vector<int>& label,
                        const std::vector<std::string>& names) {
    return make_dataset("other", matrix(values), labels(label), names).digest;
  };
  EXPECT_EQ(other({{1, 2}, {3, 4.5}, {-5, 6}}, {0, 1, 1}, {"a", "b"}), digest) << "the name is no part of it";
  EXPECT_NE(other({{1, 2}, {3, 4.5}, {-5, 6.0000005f}}, {0, 1, 1}, {"a", "b"}), digest);
  EXPECT_NE(other({{1, 2}, {3, 4.5}, {-5, 6}}, {0, 1, 0}, {"a", "b"}), digest);
  EXPECT_NE(other({{1, 2}, {3, 4.5}, {-5, 6}}, {0, 1, 1}, {"a", "c"}), digest);
  const Digest two_by_three = make_dataset("", matrix({{1, 2, 3}, {4, 5, 6}}), {}, {}).digest;
  EXPECT_NE(make_dataset("", matrix({{1, 2}, {3, 4}, {5, 6}}), {}, {}).digest, two_by_three);
}

TEST(Dataset, names_row_and_column_of_what_is_not_finite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    std::vector<std::vector<float>> values(4, std::vector<float>(21, 1));
    values[2][18] = bad;
    expect_input_error([&] { make_dataset("sick", matrix(values), {}, {}); },
                       {"sick", "row 3, column 19", "not a finite"});
  }
}

TEST(Dataset, refuses_to_be_empty_or_to_have_another_number_of_labels) {
  expect_input_error([] { make_dataset("none", Matrix<const float>(), {}, {}); }, {"none holds no samples"});
  expect_input_error([] { make_dataset("flat", Matrix<float>("krossfold::test::flat", 3, 0), {}, {}); },
                     {"flat holds no features"});
  expect_input_error(
      [] {
        make_dataset("few", matrix({{1}, {2}}), labels({0}), {"a"});
      },
      {"few", "2 samples", "1 labels"});
}

TEST(Rows, share_memory_and_have_the_digest_of_a_copy) {
  const Dataset whole = three_samples();
  const Dataset part = rows(whole, 1, 2);
  EXPECT_EQ(part.raw.data(), &whole.raw(1, 0));
  EXPECT_EQ(part.label.data(), &whole.label(1));
  const Dataset copy = make_dataset("three", matrix({{3, 4.5}, {-5, 6}}), labels({1, 1}), {"a", "b"});
  EXPECT_EQ(part.digest, copy.digest);
  EXPECT_EQ(rows(whole, 0, 3).digest, whole.digest);
  EXPECT_TRUE(rows(whole, 2, 1).integer);
  EXPECT_EQ(rows(whole, 0, 2).lowest, 1);
}

TEST(Rows, refuses_rows_that_are_not_there) {
  const Dataset whole = three_samples();
  for (const auto& [first, count] : {std::pair{-1, 2}, {0, 4}, {2, 2}, {0, 0}, {3, 1}, {1, 2147483647}}) {
    expect_input_error([&] { rows(whole, first, count); }, {"three", "holds 3 samples"});
  }
}

TEST(Select, refuses_samples_that_are_not_there) {
  const Dataset whole = three_samples();
  expect_input_error([&] { select(whole, {}); }, {"no sample of three is selected"});
  expect_input_error([&] { select(whole, {0, 3}); }, {"there is no sample 3 in three", "it holds 3 samples"});
  expect_input_error([&] { select(whole, {-1}); }, {"there is no sample -1 in three", "it holds 3 samples"});
}

TEST(Select, says_where_the_samples_were_in_the_file_through_any_number_of_choices) {
  const Dataset whole = three_samples();
  EXPECT_THAT(whole.file_rows(), ElementsAre(0, 1, 2));
  EXPECT_THAT(select(whole, {2, 0}).file_rows(), ElementsAre(2, 0));
  EXPECT_THAT(select(rows(whole, 1, 2), {1, 0}).file_rows(), ElementsAre(2, 1));
  EXPECT_THAT(rows(select(whole, {2, 0, 1}), 1, 2).file_rows(), ElementsAre(0, 1));
}

TEST(Labels, that_mean_the_same_number_are_one_class) {
  const Labels indexed = index_labels({"3", "+3", "3.0", "10", "-1", "3.000e+00", "0", "-0"}, {}, "file");
  EXPECT_THAT(indexed.class_name, ElementsAre("-1", "0", "3", "10")) << "ascending as numbers";
  const std::vector<int> expected{2, 2, 2, 3, 0, 2, 1, 1};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(indexed.label(i), expected[i]) << i;
}

TEST(Labels, that_are_codes_are_classes_as_they_are_written) {
  const Labels indexed =
      index_labels({"007", "7", "07", "7.0", "1E2", "100", "12345678901234567890", "12345678901234567891"}, {}, "f");
  EXPECT_THAT(indexed.class_name,
              ElementsAre("007", "07", "7", "100", "1E2", "12345678901234567890", "12345678901234567891"));
  EXPECT_EQ(indexed.label(1), indexed.label(3));
  EXPECT_EQ(index_labels({"07", "7.0"}, indexed.class_name, "f").label(1), 2);
  EXPECT_THAT(index_labels({"100000", "1.000000000000000000e+05", "0.25", "-1200000", "1.5e+300"}, {}, "f").class_name,
              testing::ElementsAre("-1200000", "0.25", "100000", "1.5e+300"));
  expect_input_error([&] { index_labels({"0007"}, indexed.class_name, "f"); },
                     {"'0007'", "not one of the known classes"});
}

TEST(Labels, that_are_not_all_numbers_are_in_byte_order) {
  const Labels indexed = index_labels({"dog", "cat", "10", "9", "Dog", "dog"}, {}, "file");
  EXPECT_THAT(indexed.class_name, ElementsAre("10", "9", "Dog", "cat", "dog"));
  EXPECT_EQ(indexed.label(0), 4);
  EXPECT_EQ(indexed.label(4), 2);
  EXPECT_EQ(indexed.label(5), 4);
}

TEST(Labels, that_are_not_finite_are_words_among_names) {
  EXPECT_THAT(index_names({"nan", "10", "9", "inf", "-nan"}, {}, "folder").class_name,
              ElementsAre("-nan", "10", "9", "inf", "nan"));
}

TEST(Labels, keep_the_numbers_of_known_classes) {
  const Labels indexed = index_labels({"2.0", "5"}, {"5", "7", "2"}, "file");
  EXPECT_THAT(indexed.class_name, ElementsAre("5", "7", "2"));
  EXPECT_EQ(indexed.label(0), 2);
  EXPECT_EQ(indexed.label(1), 0);
}

TEST(Labels, names_what_is_no_known_class_and_no_label) {
  expect_input_error(
      [] {
        index_labels({"1", "2", "x\ny"}, {"1", "2"}, "test.csv");
      },
      {"'x?y'", "sample 3", "test.csv", "1, 2"});
  expect_input_error([] { index_labels({"a", ""}, {}, "holes.csv"); }, {"sample 2", "holes.csv", "no label"});
  expect_input_error([] { index_labels({"1", "2", "nan"}, {}, "holes.csv"); }, {"sample 3", "'nan'"});
}

}  // namespace
}  // namespace krossfold::data
