// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/listed_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/kernels/weighted_gram.hpp"

namespace krossfold {
namespace {

struct Shape {
  int rows, columns, listed;
};

/// Rows, a list of some of them that ends with one that does not count, and numbers for each.
class ListedRows : public testing::TestWithParam<Shape> {
protected:
  void SetUp() override {
    const auto [rows, columns, count] = GetParam();
    std::mt19937 random(static_cast<unsigned>(rows + columns));
    std::normal_distribution<double> normal;
    t = Matrix<double>("t", rows, columns);
    p = Vector<double>("p", columns);
    value = Vector<double>("value", rows);
    for (int r = 0; r < columns; ++r) p(r) = normal(random);
    for (int i = 0; i < rows; ++i) {
      value(i) = normal(random);
      for (int r = 0; r < columns; ++r) t(i, r) = normal(random);
    }
    for (int k = 0; k < count; ++k) list.push_back(k * (rows / std::max(1, count)));
    list.push_back(rows - 1);
  }

  Matrix<double> t;
  Vector<double> p, value;
  std::vector<int> list;
};

TEST_P(ListedRows, AreMultipliedAsDefined) {
  const auto [rows, columns, count] = GetParam();
  const Vector<double, Device> out("out", rows);
  kernels::multiply_rows<Device>(Device(), on_device<Device>(t), on_device<Device>(p), out);
  const auto found = on_host(out);
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int r = 0; r < columns; ++r) sum += t(i, r) * p(r);
    ASSERT_NEAR(found(i), sum, 1e-12 * columns) << i;
  }
}

TEST_P(ListedRows, AreAddedAsDefined) {
  const auto [rows, columns, count] = GetParam();
  const Vector<double, Device> out("out", columns);
  const Matrix<double, Device> partial("partial", kernels::listed_blocks(count), columns);
  Kokkos::deep_copy(out, 3.0);
  Kokkos::deep_copy(partial, 7.0);  // what was there does not count
  kernels::add_listed_rows<Device>(Device(), on_device<Device>(t), list_on<Device>("list", list), count,
                                   on_device<Device>(value), partial, out);
  const auto found = on_host(out);
  for (int r = 0; r < columns; ++r) {
    double sum = 3;
    for (int k = 0; k < count; ++k) sum += value(list[k]) * t(list[k], r);
    ASSERT_NEAR(found(r), sum, 1e-12 * (count + 1)) << r;
  }
}

TEST_P(ListedRows, HaveTheGramMatrixOfTheDefinition) {
  const auto [rows, columns, count] = GetParam();
  for (int i = 0; i < rows; ++i) value(i) = value(i) * value(i);
  const Matrix<double, Device> g("g", 1, static_cast<std::size_t>(columns) * columns);
  Kokkos::deep_copy(g, 7.0);
  kernels::listed_gram<Device>(Device(), g, on_device<Device>(t), list_on<Device>("list", list), count,
                               on_device<Device>(value));
  const auto found = on_host(g);
  for (int c = 0; c < columns; ++c) {
    for (int r = c; r < columns; ++r) {
      double sum = 0;
      for (int k = 0; k < count; ++k) sum += value(list[k]) * t(list[k], r) * t(list[k], c);
      ASSERT_NEAR(found(0, static_cast<std::size_t>(c) * columns + r), sum, 1e-11 * (count + 1)) << r << ", " << c;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ListedRows,
                         testing::Values(Shape{1, 1, 0}, Shape{5, 3, 5}, Shape{64, 17, 0}, Shape{65, 8, 64},
                                         Shape{300, 40, 65}, Shape{700, 33, 700}, Shape{1000, 65, 513}));

TEST(ListedRows, RefuseShapesThatDoNotMatch) {
  const Matrix<double, Device> t("t", 100, 4), square("g", 1, 9), few("partial", 1, 4);
  const Vector<double, Device> value("value", 100), out("out", 4);
  const auto list = list_on<Device>("list", std::vector<int>(100, 0));
  EXPECT_THROW(kernels::listed_gram<Device>(Device(), square, t, list, 3, value), Error);
  EXPECT_THROW(kernels::add_listed_rows<Device>(Device(), t, list, 100, value, few, out), Error);
}

}  // namespace
}  // namespace krossfold
