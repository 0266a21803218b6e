// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/weighted_gram.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "krossfold/core/error.hpp"

namespace krossfold {
namespace {

struct Shape {
  int rows, columns;
  double least;
  bool all = false;  ///< no weight is 0
};

class WeightedGram : public testing::TestWithParam<Shape> {};

TEST_P(WeightedGram, IsTheSumOverTheColumnsThatCount) {
  const auto [rows, columns, least, all] = GetParam();
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  const Matrix<double> t("t", rows, columns);
  const Vector<double> w("w", columns);
  for (int r = 0; r < rows; ++r) {
    for (int i = 0; i < columns; ++i) t(r, i) = normal(random);
  }
  for (int i = 0; i < columns; ++i) w(i) = i % 3 == 0 && !all ? 0.0 : std::exp(normal(random));
  const Matrix<double, Device> g("g", 1, static_cast<std::size_t>(rows) * rows);
  Kokkos::deep_copy(g, std::nan(""));  // what was there does not count
  kernels::weighted_gram<Device>(Device(), g, on_device<Device>(t), on_device<Device>(w), least);
  const auto found = on_host(g);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c <= r; ++c) {
      double sum = 0;
      for (int i = 0; i < columns; ++i) sum += w(i) > least ? w(i) * t(r, i) * t(c, i) : 0.0;
      EXPECT_NEAR(found(0, static_cast<std::size_t>(c) * rows + r), sum, 1e-12 * columns) << r << ", " << c;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, WeightedGram,
                         testing::Values(Shape{1, 1, 0}, Shape{3, 7, 0}, Shape{40, 600, 0}, Shape{17, 1301, 1.0},
                                         Shape{5, 20, 1e9}, Shape{9, 1100, 0, true}, Shape{9, 1100, 0.5, true}));

TEST(WeightedGram, RefusesOtherShapes) {
  const Matrix<double, Device> t("t", 3, 4), small("g", 1, 8), square("g", 1, 9);
  const Vector<double, Device> three("w", 3), four("w", 4);
  EXPECT_THROW(kernels::weighted_gram<Device>(Device(), small, t, four), Error);
  EXPECT_THROW(kernels::weighted_gram<Device>(Device(), square, t, three), Error);
}

}  // namespace
}  // namespace krossfold
