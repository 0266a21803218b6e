// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/row_products.hpp"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "krossfold/core/view.hpp"

namespace krossfold {
namespace {

struct Shape {
  int rows, columns;
};

/// x_i = u_i - 2 sum_r t(r, i) f_r and its image, by the form for hosts or that for devices. No member function: nvcc takes no lambdas in
/// private ones.
template <class Exec>
std::pair<Vector<const double>, Vector<const double>> multiplied_through(const Matrix<double>& t,
                                                                         const Vector<double>& f,
                                                                         const Vector<double>& u, bool blocks) {
  const int rows = static_cast<int>(t.extent(0)), columns = static_cast<int>(t.extent(1));
  const Vector<double, Exec> x("x", columns), image("image", rows);
  const Matrix<double, Exec> block_image("block_image", kernels::column_blocks(columns), rows);
  Kokkos::deep_copy(image, 7.0);  // what was there does not count
  Kokkos::deep_copy(block_image, 7.0);
  const Matrix<const double, Exec> rows_of_t = on_device<Exec>(t);
  const Vector<const double, Exec> by_row = on_device<Exec>(f), by = on_device<Exec>(u);
  const auto value = KOKKOS_LAMBDA(int i, double sum) { return by(i) - 2 * sum; };
  if (blocks) {
    kernels::multiply_through_blocks<Exec>(Exec(), rows_of_t, by_row, value, x, image, block_image);
  } else {
    kernels::multiply_through_rows<Exec>(Exec(), rows_of_t, by_row, value, x, image);
  }
  return {on_host(x), on_host(image)};
}

class RowProducts : public testing::TestWithParam<Shape> {
protected:
  void SetUp() override {
    rows = GetParam().rows;
    columns = GetParam().columns;
    t = Matrix<double>("t", rows, columns);
    f = Vector<double>("f", rows);
    u = Vector<double>("u", columns);
    for (int r = 0; r < rows; ++r) {
      f(r) = normal(random);
      for (int i = 0; i < columns; ++i) t(r, i) = normal(random);
    }
    for (int i = 0; i < columns; ++i) u(i) = normal(random);
  }

  /// sum_r t(r, i) f_r over the first rows.
  double column(int i, int count) const {
    double sum = 0;
    for (int r = 0; r < count; ++r) sum += t(r, i) * f(r);
    return sum;
  }

  std::mt19937 random{5};
  std::normal_distribution<double> normal;
  int rows = 0, columns = 0;
  Matrix<double> t;
  Vector<double> f, u;
};

TEST_P(RowProducts, SumOverColumns) {
  const Vector<double, Device> image("image", rows);
  kernels::dot_rows<Device>(Device(), on_device<Device>(t), on_device<Device>(u), image);
  const auto found = on_host(image);
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int i = 0; i < columns; ++i) sum += t(r, i) * u(i);
    EXPECT_NEAR(found(r), sum, 1e-12 * columns) << r;
  }
}

TEST_P(RowProducts, SumOverTheFirstRows) {
  for (const int count : {0, 1, rows / 2, rows}) {
    const Vector<double, Device> out("out", columns);
    Kokkos::deep_copy(out, 7.0);  // what was there does not count
    kernels::add_rows<Device>(Device(), on_device<Device>(t), count, on_device<Device>(f), out);
    const auto found = on_host(out);
    for (int i = 0; i < columns; ++i) ASSERT_NEAR(found(i), column(i, count), 1e-12 * rows) << count << " rows, " << i;
  }
}

TEST_P(RowProducts, MultiplyThroughTheColumns) {
  for (const bool blocks : {false, true}) {
    const auto [found, found_image] =
        blocks ? multiplied_through<Host>(t, f, u, true) : multiplied_through<Device>(t, f, u, false);
    std::vector<double> expected(rows, 0.0);
    for (int i = 0; i < columns; ++i) {
      const double value = u(i) - 2 * column(i, rows);
      ASSERT_NEAR(found(i), value, 1e-12 * rows) << i;
      for (int r = 0; r < rows; ++r) expected[r] += t(r, i) * value;
    }
    for (int r = 0; r < rows; ++r) EXPECT_NEAR(found_image(r), expected[r], 1e-12 * rows * columns) << r;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, RowProducts,
                         testing::Values(Shape{1, 1}, Shape{3, 7}, Shape{8, 256}, Shape{17, 257}, Shape{40, 600},
                                         Shape{70, 1301}));

}  // namespace
}  // namespace krossfold
