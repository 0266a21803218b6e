// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/largest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "test/kernels/random_matrix.hpp"

namespace krossfold {
namespace {

TEST(LargestClass, is_the_first_of_the_largest_of_its_set) {
  const int n = 40, sets = 3, classes = 5;
  const auto value = test::random_matrix<double>(sets * classes, n, 60, -3, 3, true);  // integers give many ties
  const Matrix<int, Device> choice("krossfold::test::choice", sets, n);
  const Matrix<const double, Device> value_device = on_device<Device>(value);
  kernels::largest_class<Device>(Device(), choice, value_device, classes);
  const auto found = on_host(choice);
  for (int s = 0; s < sets; ++s) {
    for (int i = 0; i < n; ++i) {
      std::vector<double> of_sample(classes);
      for (int c = 0; c < classes; ++c) of_sample[c] = value(s * classes + c, i);
      ASSERT_EQ(found(s, i), std::max_element(of_sample.begin(), of_sample.end()) - of_sample.begin())
          << "seed 60, set " << s << ", sample " << i;
    }
  }
}

TEST(CountWrong, counts_samples_whose_choice_is_not_the_label) {
  const Matrix<int> choice("krossfold::test::choice", 2, 4);
  const Vector<int> label("krossfold::test::label", 4);
  const int given[2][4] = {{0, 1, 2, 1}, {1, 1, 0, 1}}, labels[4] = {0, 1, 1, 1};
  for (int i = 0; i < 4; ++i) {
    label(i) = labels[i];
    for (int s = 0; s < 2; ++s) choice(s, i) = given[s][i];
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
