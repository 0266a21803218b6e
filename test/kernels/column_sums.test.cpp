// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/column_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "test/kernels/random_matrix.hpp"

namespace krossfold {
namespace {

class ColumnSums : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(ColumnSums, are_those_of_the_definition_and_can_be_added) {
  const auto [rows, columns] = GetParam();
  const auto x = test::random_matrix<float>(rows, columns, 5, -1, 1);
  const Matrix<const float, Device> on = on_device<Device>(x);
  const Vector<float, Device> sum("krossfold::test::sum", columns);
  const Vector<float, Device> partial("krossfold::test::partial", kernels::sum_blocks(rows) * columns);
  kernels::column_sums<Device>(Device(), sum, on, false, partial);
  const Vector<float> once("krossfold::test::once", columns);
  Kokkos::deep_copy(once, sum);
  const Vector<float, Device> same("krossfold::test::same", columns);
  kernels::column_sums<Device>(Device(), sum, on, true, partial, same);
  for (int c = 0; c < columns; ++c) {
    double expected = 0, size = 0;
    for (int r = 0; r < rows; ++r) {
      expected += static_cast<double>(x(r, c));
      size += std::abs(static_cast<double>(x(r, c)));
    }
    EXPECT_NEAR(once(c), expected, 1e-6 * size);
    EXPECT_NEAR(on_host(sum)(c), 2 * expected, 2e-6 * size);
    EXPECT_EQ(on_host(same)(c), on_host(sum)(c));
  }
}

TEST_P(ColumnSums, by_symbol_are_the_product_with_the_one_hot_matrix) {
  const auto [rows, columns] = GetParam();
  const int symbols = rows == 1000   ? 300
                      : rows == 1025 ? 100
                                     : 7;  // too many for teams, and few threads for each column
  const auto x = test::random_matrix<float>(rows, columns, 6, -1, 1);
  std::vector<int> symbol;
  for (int r = 0; r < rows; ++r) symbol.push_back(r * r % symbols);  // some symbols do not occur
  const Vector<float, Device> sum("krossfold::test::sum", symbols * columns);
  const Vector<float, Device> partial("krossfold::test::partial", kernels::sum_blocks(rows) * symbols * columns);
  const Matrix<const float, Device> on = on_device<Device>(x);
  const auto symbol_on = list_on<Device>("krossfold::test::symbol", symbol);
  kernels::symbol_sums<Device>(Device(), sum, on, symbol_on, symbols, false, partial);
  const Vector<float> once("krossfold::test::once", symbols * columns);
  Kokkos::deep_copy(once, sum);
  kernels::symbol_sums<Device>(Device(), sum, on, symbol_on, symbols, true, partial);
  const auto twice = on_host(sum);
  for (int k = 0; k < symbols; ++k) {
    for (int c = 0; c < columns; ++c) {
      double expected = 0;
      for (int r = 0; r < rows; ++r) expected += symbol[r] == k ? static_cast<double>(x(r, c)) : 0;
      EXPECT_NEAR(once(c * symbols + k), expected, 1e-6 * rows);
      EXPECT_NEAR(twice(c * symbols + k), 2 * expected, 2e-6 * rows);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ColumnSums,
                         testing::Values(std::pair(1, 1), std::pair(256, 3), std::pair(257, 40), std::pair(1000, 17),
                                         std::pair(1024, 32), std::pair(1025, 5), std::pair(9000, 35)));

}  // namespace
}  // namespace krossfold
