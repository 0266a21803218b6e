// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/pack.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace krossfold {
namespace {

template <int count>
void sums_lanes() {
  Pack pack[count];
  float expected[count];
  for (int i = 0; i < count; ++i) {
    expected[i] = 0;
    for (int lane = 0; lane < pack_size; ++lane) {
      pack[i][lane] = static_cast<float>(1000 * i + lane * lane);
      expected[i] += pack[i][lane];
    }
  }
  const Pack sum = lane_sums<count>(pack);
  for (int i = 0; i < count; ++i) EXPECT_EQ(sum[i], expected[i]) << i << " of " << count;
}

template <int... count>
void sums_lanes_of_each(std::integer_sequence<int, count...>) {
  (sums_lanes<count + 1>(), ...);
}

TEST(Pack, lane_sums_are_the_sums_of_each_pack) { sums_lanes_of_each(std::make_integer_sequence<int, pack_size>()); }

TEST(Pack, load_and_store_take_any_address) {
  float from[pack_size + 3], to[pack_size + 3] = {};
  for (int i = 0; i < pack_size + 3; ++i) from[i] = static_cast<float>(i);
  store_pack(to + 1, load_pack(from + 3) + all_lanes(0.5f));
  EXPECT_EQ(to[0], 0);
  for (int i = 0; i < pack_size; ++i) EXPECT_EQ(to[1 + i], from[3 + i] + 0.5f);
  EXPECT_EQ(to[1 + pack_size], 0);
}

}  // namespace
}  // namespace krossfold
