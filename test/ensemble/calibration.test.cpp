// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/ensemble/calibration.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <numeric>

#include "krossfold/ensemble/confusion.hpp"
#include "test/ensemble/random_probabilities.hpp"

namespace krossfold::ensemble {
namespace {

using testing::ElementsAre;

/// The calibration of two classes where sample i predicts class 0 with confidence[i], correctly if right[i] != 0.
Calibration two_classes(const std::vector<double>& confidence, const std::vector<int>& right, int bins) {
  const Matrix<double> p("krossfold::test::probability", confidence.size(), 2);
  std::vector<int> label;
  for (std::size_t i = 0; i < confidence.size(); ++i) {
    p(i, 0) = confidence[i];
    p(i, 1) = 1 - confidence[i];
    label.push_back(1 - right[i]);
  }
  return calibration<Device, double>(Device(), test::there(p), test::labels(label), {.bins = bins});
}

TEST(Calibration, is_that_of_the_definition) {
  for (const test::Shape& shape : test::shapes) {
    SCOPED_TRACE(testing::PrintToString(shape));
    const auto mean = test::plain_mean(test::random_probability(shape));
    const auto label = test::random_label(shape);
    for (const int bins : {1, 10, 15, 1000}) {
      std::vector<double> count(bins), sum(bins), right(bins);
      for (int i = 0; i < shape.samples; ++i) {
        const double* row = &mean(i, 0);
        const double* best = std::max_element(row, row + shape.classes);
        int b = 0;
        while (b + 1 < bins && *best > static_cast<double>(b + 1) / bins) ++b;
        ++count[b];
        sum[b] += *best;
        right[b] += best - row == label(i) ? 1 : 0;
      }
      double ece = 0, largest = 0;
      const auto found = calibration<Device, double>(Device(), test::there(mean), test::on_device_const(label), {bins});
      ASSERT_EQ(static_cast<int>(found.count.size()), bins);
      for (int b = 0; b < bins; ++b) {
        ASSERT_EQ(found.count[b], count[b]) << "bin " << b;
        ASSERT_EQ(std::isnan(found.accuracy[b]), count[b] == 0);
        ASSERT_EQ(std::isnan(found.confidence[b]), count[b] == 0);
        if (count[b] == 0) continue;
        ASSERT_NEAR(found.confidence[b], sum[b] / count[b], shape.samples * 0x1p-52);
        ASSERT_NEAR(found.accuracy[b], right[b] / count[b], 0x1p-52);
        const double gap = std::abs(right[b] - sum[b]) / count[b];
        ece += gap * count[b] / shape.samples;
        largest = std::max(largest, gap);
      }
      EXPECT_NEAR(found.ece, ece, shape.samples * 0x1p-50);
      EXPECT_NEAR(found.largest_gap, largest, shape.samples * 0x1p-50);
      EXPECT_LE(found.ece, found.largest_gap + 1e-12);
    }
  }
}

TEST(Calibration, of_a_case_by_hand) {
  // Bin (0.6, 0.8]: confidence 0.7, 2 of 4 right: gap 0.2. Bin (0.8, 1]: confidence 0.95, all right: gap 0.05.
  const auto found = two_classes({0.7, 0.7, 0.7, 0.7, 0.9, 1.0}, {1, 0, 1, 0, 1, 1}, 5);
  EXPECT_THAT(found.count, ElementsAre(0, 0, 0, 4, 2));
  EXPECT_DOUBLE_EQ(found.accuracy[3], 0.5);
  EXPECT_DOUBLE_EQ(found.confidence[4], 0.95);
  EXPECT_NEAR(found.ece, (4 * 0.2 + 2 * 0.05) / 6, 1e-15);
  EXPECT_NEAR(found.largest_gap, 0.2, 1e-15);
}

TEST(Calibration, a_bound_belongs_to_the_bin_below) {
  const double above = std::nextafter(0.6, 1.0);
  EXPECT_THAT(two_classes({0.6, above, 0.8, 1.0}, {1, 1, 1, 1}, 5).count, ElementsAre(0, 0, 1, 2, 1));
  // Every rounded bound b / 15 that can be the larger of two probabilities, and the next double above it.
  for (int b = 8; b < 15; ++b) {
    const double bound = b / 15.0;
    EXPECT_EQ(two_classes({bound}, {1}, 15).count[b - 1], 1) << b;
    EXPECT_EQ(two_classes({std::nextafter(bound, 2.0)}, {1}, 15).count[b], 1) << b;
  }
}

TEST(Calibration, rounding_above_one_stays_in_the_last_bin) {
  const auto found = two_classes({std::nextafter(1.0, 2.0)}, {1}, 15);
  EXPECT_EQ(found.count.back(), 1);
  EXPECT_NEAR(found.ece, 0, 1e-15);
}

TEST(Calibration, certain_and_right_is_perfect_certain_and_wrong_the_opposite) {
  EXPECT_EQ(two_classes({1, 1, 1}, {1, 1, 1}, 15).ece, 0);
  EXPECT_EQ(two_classes({1, 1, 1}, {0, 0, 0}, 15).ece, 1);
}

TEST(Calibration, refuses_nan_and_no_bins) {
  EXPECT_THROW(two_classes({0.5, std::numeric_limits<double>::quiet_NaN()}, {1, 1}, 15), Error);
  EXPECT_THROW(two_classes({0.5}, {1}, 0), Error);
}

TEST(Confusion, counts_each_pair_of_true_and_chosen_class) {
  for (const test::Shape& shape : test::shapes) {
    SCOPED_TRACE(testing::PrintToString(shape));
    const auto truth = test::random_label(shape);
    const auto choice = test::random_label({1, shape.samples, shape.classes, shape.seed + 50});
    std::vector<int> expected(static_cast<std::size_t>(shape.classes) * shape.classes);
    for (int i = 0; i < shape.samples; ++i) ++expected[truth(i) * shape.classes + choice(i)];
    const Matrix<int, Device> count("krossfold::test::count", shape.classes, shape.classes);
    for (int again = 0; again < 2; ++again) {  // previous contents of the matrix have no effect
      confusion<Device>(Device(), count, test::on_device_const(choice), test::on_device_const(truth));
      fence(Device(), "krossfold::test::confusion");
      const auto found = on_host(count);
      ASSERT_EQ(std::vector<int>(found.data(), found.data() + found.size()), expected);
    }
  }
}

TEST(Confusion, refuses_what_is_no_class) {
  const Matrix<int, Device> count("krossfold::test::count", 2, 2);
  const auto confuse = [&](const std::vector<int>& choice, const std::vector<int>& label) {
    confusion<Device>(Device(), count, test::labels(choice), test::labels(label));
  };
  EXPECT_NO_THROW(confuse({0, 1}, {1, 1}));
  EXPECT_THROW(confuse({0, 2}, {1, 1}), Error);
  EXPECT_THROW(confuse({0, 1}, {1, -1}), Error);
  EXPECT_THROW(confuse({0, 1, 1}, {1, 1}), Error);
}

}  // namespace
}  // namespace krossfold::ensemble
