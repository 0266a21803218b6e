// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/kernel_pool.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace krossfold {
namespace {

TEST(KernelPool, takes_the_first_gap_that_is_large_enough) {
  svm::KernelPool pool(3, 100);
  ASSERT_TRUE(pool.place(0, 30));
  ASSERT_TRUE(pool.place(1, 30));
  ASSERT_TRUE(pool.place(2, 40));
  EXPECT_EQ(pool.origin(0), 0U);
  EXPECT_EQ(pool.origin(1), 30U);
  EXPECT_EQ(pool.origin(2), 60U);
  pool.release(0);
  EXPECT_FALSE(pool.holds(0));
  EXPECT_TRUE(pool.place(2, 35)) << "it has more";
  EXPECT_EQ(pool.origin(2), 60U);
  EXPECT_TRUE(pool.place(0, 20));
  EXPECT_FALSE(pool.place(1, 60));
  EXPECT_FALSE(pool.holds(1)) << "its own place was too small, and is given up";
  pool.release(2);
  EXPECT_TRUE(pool.place(1, 80));
  EXPECT_EQ(pool.origin(1), 20U);
  EXPECT_FALSE(pool.place(2, 1));
}

TEST(KernelPool, gives_others_what_a_slot_no_longer_needs) {
  svm::KernelPool pool(3, 100);
  ASSERT_TRUE(pool.place(0, 60));
  ASSERT_TRUE(pool.place(1, 40));
  EXPECT_FALSE(pool.place(2, 50));
  EXPECT_TRUE(pool.place(0, 10)) << "it keeps the beginning of its place";
  EXPECT_EQ(pool.origin(0), 0U);
  EXPECT_TRUE(pool.place(2, 50));
  EXPECT_EQ(pool.origin(2), 10U);
  EXPECT_EQ(pool.origin(1), 60U);
}

TEST(KernelPool, never_gives_an_entry_to_two_slots) {
  constexpr int slots = 7;
  constexpr std::size_t entries = 200;
  svm::KernelPool pool(slots, entries);
  std::vector<std::size_t> size(slots, 0);
  std::mt19937 draw(3);
  int refused = 0;
  for (int step = 0; step < 3000; ++step) {
    const int s = static_cast<int>(draw() % slots);
    if (draw() % 3 == 0) {
      pool.release(s);
      size[s] = 0;
      continue;
    }
    const std::size_t wanted = 1 + draw() % 90;
    const bool fits = pool.place(s, wanted);
    refused += fits ? 0 : 1;
    size[s] = fits ? wanted : 0;
    std::vector<int> owner(entries, -1);
    for (int t = 0; t < slots; ++t) {
      ASSERT_EQ(pool.holds(t), size[t] > 0);
      for (std::size_t k = 0; k < size[t]; ++k) {
        ASSERT_LT(pool.origin(t) + k, entries);
        ASSERT_EQ(owner[pool.origin(t) + k], -1) << "slots " << t << " and " << owner[pool.origin(t) + k];
        owner[pool.origin(t) + k] = t;
      }
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace krossfold
