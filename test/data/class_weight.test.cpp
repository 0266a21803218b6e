// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/class_weight.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "test/data/sample_files.hpp"

namespace krossfold::data {
namespace {

using test::expect_input_error;
using testing::ElementsAre;

const std::vector<std::string> names{"no", "yes", "it:is"};

/// Samples of these classes.
Dataset classes(const std::vector<int>& label, const std::vector<double>& weight = {}) {
  const Matrix<float> raw("krossfold::test::raw", label.size(), 1);
  Dataset set = make_dataset("classes", raw, test::labels(label), names);
  const Vector<double> values("krossfold::test::weight", weight.size());
  std::copy(weight.begin(), weight.end(), values.data());
  set.weight = values;
  return set;
}

std::vector<double> weights(const Dataset& set, const ClassWeights& of, std::vector<int> is_out = {}) {
  is_out.resize(static_cast<std::size_t>(set.size()), 0);
  const Vector<double> found = training_weights(set, of, is_out);
  return {found.data(), found.data() + found.extent(0)};
}

TEST(ClassWeights, are_parsed_by_the_names_of_the_classes) {
  EXPECT_TRUE(parse_class_weights("none", names).of_class.empty());
  EXPECT_FALSE(parse_class_weights("none", names).balanced);
  EXPECT_TRUE(parse_class_weights("balanced", names).balanced);
  EXPECT_THAT(parse_class_weights("yes:10", names).of_class, ElementsAre(1, 10, 1));
  EXPECT_THAT(parse_class_weights("it:is:0.5,no:0", names).of_class, ElementsAre(0, 1, 0.5));
  EXPECT_THAT(parse_class_weights("\"a,b\":3,c:2", {"a,b", "c"}).of_class, ElementsAre(3, 2));
  EXPECT_THAT(parse_class_weights("1.0:3", {"0", "1"}).of_class, ElementsAre(1, 3));  // as labels are read
  EXPECT_THAT(parse_class_weights("1.0:3", {"1", "1.0"}).of_class, ElementsAre(1, 3));
}

TEST(ClassWeights, refuse_what_they_do_not_understand) {
  for (const char* word : {"", "balance", "yes", "yes:", "yes:x", "yes:-1", "yes:inf", "yes:nan", "yes:1,",
                           "yes:1,yes:2", "maybe:1", ",yes:1", ":1"}) {
    SCOPED_TRACE(word);
    expect_input_error([&] { parse_class_weights(word, names); }, {"class"});
  }
}

TEST(TrainingWeights, are_those_of_samples_times_those_of_classes) {
  EXPECT_TRUE(weights(classes({0, 1, 1, 2}), {}).empty());
  EXPECT_THAT(weights(classes({0, 1, 1, 2}, {1, 2, 3, 4}), {}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(weights(classes({0, 1, 1, 2}, {1, 2, 3, 4}), {.of_class = {2, 1, 0.5}}), ElementsAre(2, 2, 3, 2));
  // n / (k n_c), as scikit-learn's compute_class_weight has it.
  EXPECT_THAT(weights(classes({0, 1, 1, 1}), {.balanced = true}),
              ElementsAre(4 / (2 * 1.0), 4 / (2 * 3.0), 4 / (2 * 3.0), 4 / (2 * 3.0)));
  EXPECT_THAT(weights(classes({0, 1, 1, 1, 0, 2}), {.balanced = true}, {0, 0, 0, 0, 1, 1}),
              ElementsAre(2, 4 / 6.0, 4 / 6.0, 4 / 6.0, 2, 0))
      << "only of those that train";
}

TEST(TrainingWeights, can_be_scaled_to_mean_1) {
  const Vector<double> weight("krossfold::test::weight", 4);
  expect_input_error([&] { with_mean_one(weight); }, {"weight 0"});
  weight(0) = 6;
  weight(3) = 2;
  const Vector<double> scaled = with_mean_one(weight);
  EXPECT_THAT(std::vector<double>(scaled.data(), scaled.data() + 4), ElementsAre(3, 0, 0, 1));
  EXPECT_EQ(with_mean_one({}).extent(0), 0U);
  for (const double unit : {8e307, 1e-320}) {  // their sum, or the number of samples divided by it, overflows
    SCOPED_TRACE(unit);
    weight(0) = weight(1) = weight(2) = unit;
    weight(3) = 0;
    const Vector<double> far = with_mean_one(weight);
    for (int i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(far(i), 4 / 3.0);
    EXPECT_EQ(far(3), 0);
  }
  weight(1) = HUGE_VAL;
  expect_input_error([&] { with_mean_one(weight); }, {"infinite weight"});
}

}  // namespace
}  // namespace krossfold::data
