// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/ranges.hpp"

#include <gtest/gtest.h>

namespace krossfold {
namespace {

TEST(Ranges, join_neighbours_and_separate_others) {
  EXPECT_EQ(ranges({}), "");
  EXPECT_EQ(ranges({7}), "7");
  EXPECT_EQ(ranges({0, 1, 2, 3, 6}), "0-3,6");
  EXPECT_EQ(ranges({1, 3, 4, 9}), "1,3-4,9");
}

}  // namespace
}  // namespace krossfold
