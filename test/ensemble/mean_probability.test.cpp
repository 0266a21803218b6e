// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/ensemble/mean_probability.hpp"

#include <limits>

#include "krossfold/ensemble/weights.hpp"
#include "test/ensemble/random_probabilities.hpp"

namespace krossfold::ensemble {
namespace {

Matrix<double> mean_of(const Members<Device>& members, const std::vector<double>& weight = {}) {
  const Matrix<double, Device> mean("krossfold::test::mean", members.samples(), members.classes());
  if (weight.empty()) {
    mean_probability<Device>(Device(), mean, members);
  } else {
    const Vector<double> host("krossfold::test::weight", weight.size());
    for (std::size_t k = 0; k < weight.size(); ++k) host(k) = weight[k];
    const Vector<const double, Device> there = on_device<Device>(host);
    mean_probability<Device>(Device(), mean, members, there);
  }
  fence(Device(), "krossfold::test::mean");
  return on_host(mean);
}

/// Twice the rounding error of a sum over the models in double.
double tolerance(int models) { return 2 * models * 0x1p-53; }

TEST(MeanProbability, is_the_plain_mean_in_double) {
  for (const test::Shape& shape : test::shapes) {
    SCOPED_TRACE(testing::PrintToString(shape));
    const auto p = test::random_probability(shape);
    const auto found = mean_of(test::members_of(p)), expected = test::plain_mean(p);
    const auto reordered = mean_of(test::members_of(p, test::shuffled_models(shape)));
    for (int i = 0; i < shape.samples; ++i) {
      double sum = 0;
      for (int c = 0; c < shape.classes; ++c) {
        ASSERT_NEAR(found(i, c), expected(i, c), tolerance(shape.models)) << "sample " << i << ", class " << c;
        ASSERT_NEAR(found(i, c), reordered(i, c), tolerance(shape.models)) << "sample " << i << ", class " << c;
        sum += found(i, c);
      }
      ASSERT_NEAR(sum, 1, shape.classes * 0x1p-24);  // probabilities are rounded to float
    }
  }
}

TEST(MeanProbability, of_models_that_say_the_same_is_what_they_say) {
  const test::Shape one{1, 50, 6, 31};
  const auto p = test::random_probability(one);
  for (const int models : {1, 2, 3, 7, 12, 100}) {
    const Cube<float> same("krossfold::test::same", models, one.samples, one.classes);
    for (int m = 0; m < models; ++m) {
      for (int i = 0; i < one.samples; ++i) {
        for (int c = 0; c < one.classes; ++c) same(m, i, c) = p(0, i, c);
      }
    }
    const auto mean = mean_of(test::members_of(same));
    for (int i = 0; i < one.samples; ++i) {
      for (int c = 0; c < one.classes; ++c)
        ASSERT_EQ(mean(i, c), static_cast<double>(p(0, i, c))) << models << " models";
    }
  }
}

TEST(WeightedMean, follows_the_weights) {
  const test::Shape shape{4, 60, 5, 32};
  const auto p = test::random_probability(shape);
  const auto plain = mean_of(test::members_of(p)), equal = mean_of(test::members_of(p), {0.3, 0.3, 0.3, 0.3});
  const auto third_only = mean_of(test::members_of(p), {0, 0, 7, 0});
  const auto mixed = mean_of(test::members_of(p, {2, 0}), {3, 1});
  for (int i = 0; i < shape.samples; ++i) {
    for (int c = 0; c < shape.classes; ++c) {
      const auto value = [&](int m) { return static_cast<double>(p(m, i, c)); };
      ASSERT_NEAR(equal(i, c), plain(i, c), tolerance(4));
      ASSERT_NEAR(third_only(i, c), value(2), tolerance(4));
      ASSERT_NEAR(mixed(i, c), 0.75 * value(2) + 0.25 * value(0), tolerance(4));
    }
  }
  EXPECT_THROW(mean_of(test::members_of(p), {1, 1, 1}), Error);
}

TEST(ValidationWeights, are_the_log_odds_of_being_right) {
  // Two classes: log(.9 / .1) = 2 log 3 and log(.75 / .25) = log 3. Ten classes: the odds are nine times as large.
  const auto two = validation_weights(std::vector<double>{0.1, 0.25}, {.classes = 2, .samples = 1000});
  EXPECT_NEAR(two[0], 2.0 / 3, 1e-15);
  EXPECT_NEAR(two[1], 1.0 / 3, 1e-15);
  const auto ten = validation_weights(std::vector<double>{0.1, 0.25}, {.classes = 10, .samples = 1000});
  EXPECT_NEAR(ten[0] / ten[1], std::log(81.0) / std::log(27.0), 1e-14);
}

TEST(ValidationWeights, guessing_and_worse_counts_nothing) {
  const auto weight = validation_weights(std::vector<double>{0.9, 0.95, 0.2}, {.classes = 10, .samples = 1000});
  EXPECT_NEAR(weight[0], 0, 1e-15);
  EXPECT_EQ(weight[1], 0);
  EXPECT_NEAR(weight[2], 1, 1e-15);
  EXPECT_EQ(validation_weights(std::vector<double>{0.95, 1}, {.classes = 10, .samples = 9}),
            (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(validation_weights(std::vector<double>{0, 0, 0, 0}, {.classes = 1}), std::vector<double>(4, 0.25));
}

TEST(ValidationWeights, no_error_at_all_counts_as_half_a_sample) {
  const auto weight = validation_weights(std::vector<double>{0, 0.1}, {.classes = 2, .samples = 50});
  EXPECT_NEAR(weight[0] / weight[1], std::log(99.0) / std::log(9.0), 1e-14);
}

TEST(ValidationWeights, may_be_the_accuracy) {
  const auto weight = validation_weights(std::vector<double>{0.2, 0.4}, {.rule = WeightRule::accuracy});
  EXPECT_NEAR(weight[0], 0.8 / 1.4, 1e-15);
  EXPECT_NEAR(weight[1], 0.6 / 1.4, 1e-15);
  EXPECT_EQ(validation_weights(std::vector<double>{1, 1}, {.rule = WeightRule::accuracy}),
            (std::vector<double>{0.5, 0.5}));
}

TEST(ValidationWeights, refuse_what_is_no_error_rate) {
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), -0.1, 1.1}) {
    EXPECT_THROW(validation_weights(std::vector<double>{0.1, wrong}, {}), Error) << wrong;
  }
  EXPECT_THROW(validation_weights({}, {}), Error);
}

}  // namespace
}  // namespace krossfold::ensemble
