// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/largest.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "test/kernels/random_matrix.hpp"

namespace krossfold {
namespace {

TEST(LargestClass, is_the_first_of_the_largest_of_its_set) {
  const int n = 40, sets = 3, classes = 5;
  const auto value = test::random_matrix<double>(n, sets * classes, 60, -3, 3, true);  // whole numbers: many ties
  const Matrix<int, Device> choice("krossfold::test::choice", n, sets);
  const Matrix<const double, Device> value_device = on_device<Device>(value);
  kernels::largest_class<Device>(Device(), choice, value_device, classes);
  const auto found = on_host(choice);
  for (int i = 0; i < n; ++i) {
    for (int s = 0; s < sets; ++s) {
      const double* first = &value(i, s * classes);
      ASSERT_EQ(found(i, s), std::max_element(first, first + classes) - first) << i << ", " << s;
    }
  }
}

TEST(CountWrong, counts_rows_whose_choice_is_not_the_label) {
  const Matrix<int> choice("krossfold::test::choice", 4, 2);
  const Vector<int> label("krossfold::test::label", 4);
  const int given[4][2] = {{0, 1}, {1, 1}, {2, 0}, {1, 1}}, labels[4] = {0, 1, 1, 1};
  for (int i = 0; i < 4; ++i) {
    label(i) = labels[i];
    for (int s = 0; s < 2; ++s) choice(i, s) = given[i][s];
  }
  const Vector<int, Device> wrong("krossfold::test::wrong", 2);
  const Matrix<const int, Device> choice_device = on_device<Device>(choice);
  const Vector<const int, Device> label_device = on_device<Device>(label);
  kernels::count_wrong<Device>(Device(), wrong, choice_device, label_device);
  const auto found = on_host(wrong);
  EXPECT_EQ(found(0), 1);
  EXPECT_EQ(found(1), 2);
}

}  // namespace
}  // namespace krossfold
