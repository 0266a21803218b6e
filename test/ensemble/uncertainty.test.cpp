// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/ensemble/uncertainty.hpp"

#include <limits>

#include "krossfold/ensemble/mean_probability.hpp"
#include "test/ensemble/random_probabilities.hpp"

namespace krossfold::ensemble {
namespace {

struct Measured {
  Vector<double> confidence, predictive, expected, information;
};

Measured measure(const Members<Device>& members) {
  const Matrix<double, Device> mean("krossfold::test::mean", members.samples(), members.classes());
  mean_probability<Device>(Device(), mean, members);
  const auto uncertainty = make_uncertainty<Device>(members.samples());
  measure_uncertainty<Device>(Device(), uncertainty, members, mean);
  fence(Device(), "krossfold::test::uncertainty");
  return {on_host(uncertainty.confidence), on_host(uncertainty.predictive_entropy),
          on_host(uncertainty.expected_entropy), on_host(uncertainty.mutual_information)};
}

/// - sum p log p
template <class P>
double entropy(int classes, const P& p) {
  double sum = 0;
  for (int c = 0; c < classes; ++c) sum -= p(c) > 0 ? p(c) * std::log(p(c)) : 0;
  return sum;
}

TEST(Uncertainty, is_that_of_the_definitions) {
  for (const test::Shape& shape : test::shapes) {
    SCOPED_TRACE(testing::PrintToString(shape));
    const auto p = test::random_probability(shape);
    const auto mean = test::plain_mean(p);
    const Measured found = measure(test::members_of(p));
    const Measured reordered = measure(test::members_of(p, test::shuffled_models(shape)));
    const double tolerance = 4.0 * shape.models * shape.classes * 0x1p-52;
    for (int i = 0; i < shape.samples; ++i) {
      SCOPED_TRACE(testing::Message() << "sample " << i);
      const double predictive = entropy(shape.classes, [&](int c) { return mean(i, c); });
      double expected = 0, largest = 0;
      for (int m = 0; m < shape.models; ++m) {
        expected += entropy(shape.classes, [&](int c) { return static_cast<double>(p(m, i, c)); }) / shape.models;
      }
      for (int c = 0; c < shape.classes; ++c) largest = std::max(largest, mean(i, c));
      ASSERT_NEAR(found.confidence(i), largest, tolerance);
      ASSERT_NEAR(found.predictive(i), predictive, tolerance);
      ASSERT_NEAR(found.expected(i), expected, tolerance);
      ASSERT_NEAR(found.information(i), predictive - expected, tolerance);
      ASSERT_GE(found.information(i), 0);
      ASSERT_LE(found.predictive(i), std::log(shape.classes) + 1e-6);
      ASSERT_NEAR(reordered.predictive(i), found.predictive(i), tolerance);
      ASSERT_NEAR(reordered.information(i), found.information(i), tolerance);
    }
  }
}

TEST(Uncertainty, tells_doubt_from_disagreement) {
  // Sample 0: both members are certain of the same class. 1: both are undecided. 2: each is certain of another class.
  const auto members =
      test::members_of(test::cube_of({{{1, 0}, {0.5f, 0.5f}, {1, 0}}, {{1, 0}, {0.5f, 0.5f}, {0, 1}}}));
  const Measured found = measure(members);
  const double bit = std::log(2.0);
  const std::vector<std::vector<double>> expected = {{1, 0, 0, 0}, {0.5, bit, bit, 0}, {0.5, bit, 0, bit}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(found.confidence(i), expected[i][0]) << "sample " << i;
    EXPECT_DOUBLE_EQ(found.predictive(i), expected[i][1]) << "sample " << i;
    EXPECT_DOUBLE_EQ(found.expected(i), expected[i][2]) << "sample " << i;
    EXPECT_DOUBLE_EQ(found.information(i), expected[i][3]) << "sample " << i;
  }
}

TEST(Uncertainty, members_that_say_the_same_share_no_information) {
  const test::Shape one{1, 80, 10, 41};
  const auto p = test::random_probability(one);
  const Cube<float> same("krossfold::test::same", 7, one.samples, one.classes);
  for (int m = 0; m < 7; ++m) {
    for (int i = 0; i < one.samples; ++i) {
      for (int c = 0; c < one.classes; ++c) same(m, i, c) = p(0, i, c);
    }
  }
  const Measured found = measure(test::members_of(same)), alone = measure(test::members_of(p));
  for (int i = 0; i < one.samples; ++i) {
    EXPECT_EQ(found.information(i), 0) << "sample " << i;
    EXPECT_EQ(alone.information(i), 0) << "sample " << i;
    EXPECT_EQ(found.predictive(i), alone.predictive(i)) << "sample " << i;
  }
}

TEST(Uncertainty, small_disagreement_keeps_its_digits) {
  // p = 1/2 +- d: the mutual information is 2 d^2 + O(d^4), lost in the difference of two entropies near log 2.
  const float d = 0x1p-20f;
  const Measured found = measure(test::members_of(test::cube_of({{{0.5f + d, 0.5f - d}}, {{0.5f - d, 0.5f + d}}})));
  EXPECT_NEAR(found.information(0) / 0x1p-39, 1, 1e-9);
}

TEST(Uncertainty, a_class_that_one_member_nearly_rules_out_counts_as_one_ruled_out) {
  const Measured nearly = measure(test::members_of(test::cube_of({{{0.5f, 0.5f}}, {{1, 1e-30f}}})));
  const Measured out = measure(test::members_of(test::cube_of({{{0.5f, 0.5f}}, {{1, 0}}})));
  EXPECT_GT(out.information(0), 0.2);
  EXPECT_DOUBLE_EQ(nearly.information(0), out.information(0));
}

TEST(Uncertainty, of_the_least_floats_and_of_nan) {
  const float least = std::numeric_limits<float>::denorm_min(), nan = std::numeric_limits<float>::quiet_NaN();
  const Measured found = measure(test::members_of(test::cube_of({{{1, least}, {nan, nan}}, {{1, 0}, {1, 0}}})));
  EXPECT_NEAR(found.predictive(0), 0, 1e-40);
  EXPECT_GE(found.information(0), 0);
  for (const auto& value : {found.confidence, found.predictive, found.expected, found.information})
    EXPECT_TRUE(std::isnan(value(1)));
}

}  // namespace
}  // namespace krossfold::ensemble
