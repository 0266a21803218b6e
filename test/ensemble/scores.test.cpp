// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/ensemble/scores.hpp"

#include <limits>

#include "test/ensemble/random_probabilities.hpp"

namespace krossfold::ensemble {
namespace {

/// The scores of one model, given as rows.
Scores scores_of(const std::vector<std::vector<float>>& rows, const std::vector<int>& label,
                 const ScoreParams& params = {}) {
  const Cube<const float, Device> p = on_device<Device>(test::cube_of({rows}));
  const Matrix<const float, Device> model = Kokkos::subview(p, 0, Kokkos::ALL, Kokkos::ALL);
  return scores<Device, float>(Device(), model, test::labels(label), params);
}

TEST(Scores, are_those_of_the_definitions) {
  for (const test::Shape& shape : test::shapes) {
    SCOPED_TRACE(testing::PrintToString(shape));
    const auto mean = test::plain_mean(test::random_probability(shape));
    const auto label = test::random_label(shape);
    double nll = 0, brier = 0;
    int clamped = 0;
    for (int i = 0; i < shape.samples; ++i) {
      nll -= std::log(std::max(mean(i, label(i)), 1e-6)) / shape.samples;
      clamped += mean(i, label(i)) < 1e-6 ? 1 : 0;
      for (int c = 0; c < shape.classes; ++c) {
        brier += std::pow(mean(i, c) - (c == label(i) ? 1 : 0), 2) / shape.samples;
      }
    }
    const Scores found =
        scores<Device, double>(Device(), test::there(mean), test::on_device_const(label), {.min_probability = 1e-6});
    const double tolerance = shape.samples * 0x1p-52;
    EXPECT_NEAR(found.nll, nll, tolerance * std::log(1e6));
    EXPECT_NEAR(found.brier, brier, tolerance * 2);
    EXPECT_EQ(found.clamped, clamped);
  }
}

TEST(Scores, of_the_best_the_worst_and_the_undecided) {
  const Scores best = scores_of({{1, 0, 0}, {0, 0, 1}}, {0, 2});
  EXPECT_EQ(best.nll, 0);
  EXPECT_EQ(best.brier, 0);
  EXPECT_EQ(best.clamped, 0);
  const Scores worst = scores_of({{1, 0, 0}, {0, 0, 1}}, {1, 0});
  EXPECT_DOUBLE_EQ(worst.nll, 52 * std::log(2.0));
  EXPECT_EQ(worst.brier, 2);
  EXPECT_EQ(worst.clamped, 2);
  EXPECT_DOUBLE_EQ(scores_of({{1, 0, 0}}, {1}, {.min_probability = 0.125}).nll, std::log(8.0));
  const Scores undecided = scores_of({{0.25f, 0.25f, 0.25f, 0.25f}}, {3});
  EXPECT_DOUBLE_EQ(undecided.nll, std::log(4.0));
  EXPECT_DOUBLE_EQ(undecided.brier, 0.75);
  const Scores one_class = scores_of({{1}}, {0});
  EXPECT_EQ(one_class.nll, 0);
  EXPECT_EQ(one_class.brier, 0);
}

TEST(Scores, of_a_model_with_nan_are_nan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Scores broken = scores_of({{1, 0}, {nan, nan}}, {0, 1});
  EXPECT_TRUE(std::isnan(broken.nll));
  EXPECT_TRUE(std::isnan(broken.brier));
}

TEST(Scores, need_a_label_for_each_sample_that_is_a_class) {
  EXPECT_THROW(scores_of({{1, 0}, {1, 0}}, {0}), Error);
  EXPECT_THROW(scores_of({{1, 0}, {1, 0}}, {0, 2}), Error);
  EXPECT_THROW(scores_of({{1, 0}, {1, 0}}, {-1, 0}), Error);
  const Matrix<double, Device> none("krossfold::test::none", 0, 2);
  EXPECT_THROW((scores<Device, double>(Device(), none, test::labels({}))), Error);
}

}  // namespace
}  // namespace krossfold::ensemble
