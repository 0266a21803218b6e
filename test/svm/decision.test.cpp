// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/decision.hpp"

#include <gtest/gtest.h>

#include "test/kernels/random_matrix.hpp"

namespace krossfold {
namespace {

TEST(DecisionValues, agree_with_their_definition_over_several_blocks) {
  const int n = 1500, rows = 1100, columns = 60, sets = 7;
  const auto kernel = test::random_matrix<float>(n, n, 70, -1, 0);
  const auto coefficient = test::random_matrix<double>(sets, columns, 71, -5, 5);
  const Vector<double> bias("krossfold::test::bias", sets);
  for (int s = 0; s < sets; ++s) bias(s) = s - 3;
  const Vector<int> row("krossfold::test::row", rows), column("krossfold::test::column", columns);
  for (int r = 0; r < rows; ++r) row(r) = (r * 7) % n;
  for (int c = 0; c < columns; ++c) column(c) = (c * 11 + 3) % n;
  const Matrix<double, Device> value("krossfold::test::value", rows, sets);
  const auto kernel_device = on_device<Device>(kernel);
  const auto coefficient_device = on_device<Device>(coefficient);
  svm::decision_values<Device>(Device(), value, kernel_device, on_device<Device>(row), on_device<Device>(column),
                               coefficient_device, on_device<Device>(bias));
  const auto found = on_host(value);
  for (int r = 0; r < rows; ++r) {
    for (int s = 0; s < sets; ++s) {
      double expected = bias(s);
      for (int c = 0; c < columns; ++c) expected += coefficient(s, c) * static_cast<double>(kernel(row(r), column(c)));
      ASSERT_NEAR(found(r, s), expected, 1e-12) << r << ", " << s;
    }
  }
}

}  // namespace
}  // namespace krossfold
