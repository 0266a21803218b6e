// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "krossfold/core/error.hpp"

namespace krossfold {
namespace {

using Block = std::array<std::uint32_t, 4>;

// The block for this counter and key; every counter corresponds to some stream and draw.
Block block_of(Block counter, std::uint32_t key_low, std::uint32_t key_high) {
  const StreamId stream{.seed = std::uint64_t{key_high} << 32 | key_low,
                        .purpose = static_cast<std::uint16_t>(counter[1] >> 16),
                        .bootstrap = static_cast<std::uint16_t>(counter[3] >> 16),
                        .fold = static_cast<std::uint16_t>(counter[1]),
                        .trial = counter[2]};
  return random_block(stream, std::uint64_t{counter[3] & 0xffffu} << 32 | counter[0]);
}

// kat_vectors of Random123, lines "philox4x32 10".
TEST(Random, blocks_are_the_published_philox_vectors) {
  EXPECT_EQ(block_of({0, 0, 0, 0}, 0, 0), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(block_of({ones, ones, ones, ones}, ones, ones), (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(block_of({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// An independent Philox in Python computed the values of the next two tests. They must never change, or studies begun
// with them could not be continued.
constexpr StreamId frozen{.seed = 20260131, .purpose = 1, .bootstrap = 5, .fold = 3, .trial = 11};

TEST(Random, draws_never_change) {
  EXPECT_EQ(random_bits(frozen, 0), 0x7ab81db1d2c72ff6u);
  EXPECT_EQ(random_bits(frozen, (std::uint64_t{7} << 32) + 9), 0xa07b58a71c8d51b8u);
  EXPECT_EQ(random_uniform(frozen, 2), 0x1.cae1fff48bf71p-1);
  std::vector<std::uint64_t> below;
  for (std::uint64_t draw = 0; draw < 8; ++draw) below.push_back(random_below(frozen, draw, 1000));
  EXPECT_THAT(below, testing::ElementsAre(479, 288, 896, 238, 420, 872, 513, 14));
  EXPECT_EQ(random_below(frozen, 3, std::numeric_limits<std::uint64_t>::max()), 4403282718094217481u);
}

TEST(Random, permutations_never_change) {
  EXPECT_THAT(random_permutation(frozen, 12), testing::ElementsAre(1, 6, 4, 7, 2, 10, 3, 0, 11, 9, 8, 5));
  EXPECT_THAT(random_permutation({.seed = 0, .purpose = random_purpose_shuffled_folds}, 8),
              testing::ElementsAre(4, 6, 7, 0, 3, 2, 1, 5));
}

TEST(Random, a_permutation_holds_every_number_once) {
  for (const int n : {0, 1, 2, 3, 17, 1000}) {
    auto order = random_permutation({.seed = 4, .trial = static_cast<std::uint32_t>(n)}, n);
    ASSERT_EQ(static_cast<int>(order.size()), n);
    std::sort(order.begin(), order.end());
    for (int i = 0; i < n; ++i) ASSERT_EQ(order[i], i) << "n = " << n;
  }
}

TEST(Random, permutations_are_equally_likely) {
  std::vector<int> count(24);
  constexpr int trials = 24000;
  for (std::uint32_t trial = 0; trial < trials; ++trial) {
    const auto order = random_permutation({.seed = 1, .trial = trial}, 4);
    std::vector<int> sorted = {0, 1, 2, 3};
    int number = 0;
    while (sorted != order) {
      std::next_permutation(sorted.begin(), sorted.end());
      ++number;
    }
    ++count[number];
  }
  double chi_squared = 0;
  for (const int c : count) chi_squared += (c - trials / 24.0) * (c - trials / 24.0) / (trials / 24.0);
  EXPECT_LT(chi_squared, 49.7);  // the 0.1 % point for 23 degrees of freedom
}

TEST(Random, uniform_numbers_lie_in_range_with_the_right_moments) {
  constexpr int n = 100000;
  double sum = 0, squares = 0, product = 0, previous = 0;
  for (int i = 0; i < n; ++i) {
    const double u = random_uniform({.seed = 2}, i);
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    ASSERT_EQ(u * 0x1p53, std::floor(u * 0x1p53));
    sum += u;
    squares += u * u;
    product += (u - 0.5) * (previous - 0.5);
    previous = u;
  }
  // Each tolerance is four standard deviations.
  EXPECT_NEAR(sum / n, 0.5, 4 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(squares / n, 1.0 / 3, 4 * std::sqrt(4.0 / 45 / n));
  EXPECT_NEAR(product / n, 0.0, 4 * std::sqrt(1.0 / 144 / n));
}

TEST(Random, below_is_in_range_and_even) {
  constexpr int draws = 70000;
  std::vector<int> count(7);
  for (int i = 0; i < draws; ++i) ++count.at(random_below({.seed = 3}, i, 7));
  double chi_squared = 0;
  for (const int c : count) chi_squared += (c - draws / 7.0) * (c - draws / 7.0) / (draws / 7.0);
  EXPECT_LT(chi_squared, 22.5);  // the 0.1 % point for 6 degrees of freedom
  for (int i = 0; i < 100; ++i) ASSERT_EQ(random_below({.seed = 3}, i, 1), 0u);
}

TEST(Random, every_field_of_the_stream_and_the_draw_matters) {
  std::set<std::uint64_t> seen;
  const auto add = [&](const StreamId& stream, std::uint64_t draw) { seen.insert(random_bits(stream, draw)); };
  add({}, 0);
  add({.seed = 1}, 0);
  add({.seed = std::uint64_t{1} << 32}, 0);
  add({.purpose = 1}, 0);
  add({.bootstrap = 1}, 0);
  add({.fold = 1}, 0);
  add({.trial = 1}, 0);
  add({}, 1);
  add({}, std::uint64_t{1} << 32);
  EXPECT_EQ(seen.size(), 9u);
}

TEST(Random, refuses_a_draw_that_would_run_into_another_stream) {
  EXPECT_NO_THROW(random_block({}, (std::uint64_t{1} << 48) - 1));
  EXPECT_THROW(random_block({}, std::uint64_t{1} << 48), Error);
}

}  // namespace
}  // namespace krossfold
