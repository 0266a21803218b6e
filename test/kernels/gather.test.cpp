// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/gather.hpp"

#include <gtest/gtest.h>

#include "test/kernels/random_matrix.hpp"

namespace krossfold {
namespace {

template <class T>
void picks_rows_and_columns() {
  const auto in = test::random_matrix<float>(50, 41, 50, -1, 1);
  std::mt19937 engine(51);
  const Vector<int> row("krossfold::test::row", 23), column("krossfold::test::column", 77);
  for (std::size_t r = 0; r < row.extent(0); ++r) row(r) = static_cast<int>(engine() % 50);
  for (std::size_t c = 0; c < column.extent(0); ++c) column(c) = static_cast<int>(engine() % 41);
  const auto out = padded_matrix<T, Device>("krossfold::test::out", 23, 77);
  const Matrix<const float, Device> in_device = on_device<Device>(in);
  const Vector<const int, Device> row_device = on_device<Device>(row), column_device = on_device<Device>(column);
  kernels::gather<Device, T>(Device(), out, in_device, row_device, column_device);
  const auto found = on_host(out);
  for (std::size_t r = 0; r < row.extent(0); ++r) {
    for (std::size_t c = 0; c < column.extent(0); ++c) ASSERT_EQ(found(r, c), static_cast<T>(in(row(r), column(c))));
  }
}

TEST(Gather, picks_rows_and_columns_in_float) { picks_rows_and_columns<float>(); }
TEST(Gather, picks_rows_and_columns_in_double) { picks_rows_and_columns<double>(); }

}  // namespace
}  // namespace krossfold
