// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/decision_cache.hpp"

#include <gtest/gtest.h>

namespace krossfold::studies {
namespace {

/// Values that name their place: 2 problems at each C, 3 held-out samples.
Matrix<const double> decisions(double unit, std::size_t cs) {
  const Matrix<double> all("krossfold::test::decisions", 2 * cs, 3);
  for (std::size_t r = 0; r < 2 * cs; ++r) {
    for (std::size_t i = 0; i < 3; ++i) all(r, i) = 100 * unit + 10 * static_cast<double>(r) + static_cast<double>(i);
  }
  return all;
}

TEST(DecisionCache, finds_the_values_of_a_cell_by_gamma_fold_and_c) {
  DecisionCache cache(10000);
  cache.put(0.5, 0, {1, 10}, decisions(1, 2), 0);
  cache.put(0.5, 1, {1, 10}, decisions(2, 2), 0);
  cache.put(0.25, 0, {1, 10, 100}, decisions(3, 3), 0);
  EXPECT_EQ(cache.find(0.5, 0, {1, 10}), (std::vector<double>{120, 121, 122, 130, 131, 132}));
  EXPECT_EQ(cache.find(0.5, 1, {1}), (std::vector<double>{200, 201, 202, 210, 211, 212}));
  EXPECT_EQ(cache.find(0.25, 0, {1, 10, 100}), (std::vector<double>{340, 341, 342, 350, 351, 352}));
  EXPECT_TRUE(cache.find(0.5, 0, {1, 10, 100}).empty());
  EXPECT_TRUE(cache.find(0.25, 1, {1}).empty());
  EXPECT_TRUE(cache.find(0.125, 0, {1}).empty());
}

TEST(DecisionCache, tells_paths_to_the_same_cell_apart) {
  DecisionCache cache(10000);
  cache.put(0.5, 0, {1, 10}, decisions(1, 2), 0);
  cache.put(0.5, 0, {5, 10, 20}, decisions(2, 3), 0);
  EXPECT_EQ(cache.find(0.5, 0, {1, 10}).front(), 120);
  EXPECT_EQ(cache.find(0.5, 0, {5, 10}).front(), 220);
  EXPECT_TRUE(cache.find(0.5, 0, {10}).empty());
}

TEST(DecisionCache, keeps_the_most_promising_units_within_its_bound) {
  constexpr std::uint64_t unit = 2 * 2 * 3 * sizeof(double);
  DecisionCache cache(2 * unit + 8);
  cache.put(1, 0, {1, 2}, decisions(1, 2), -0.3);
  cache.put(2, 0, {1, 2}, decisions(2, 2), -0.1);
  cache.put(3, 0, {1, 2}, decisions(3, 2), -0.2);  // takes the place of the first
  EXPECT_TRUE(cache.find(1, 0, {1}).empty());
  EXPECT_FALSE(cache.find(2, 0, {1}).empty());
  EXPECT_FALSE(cache.find(3, 0, {1}).empty());
  cache.put(4, 0, {1, 2}, decisions(4, 2), -0.4);  // worse than all
  EXPECT_TRUE(cache.find(4, 0, {1}).empty());
  EXPECT_LE(cache.bytes(), 2 * unit);
  cache.put(2, 0, {1, 2}, decisions(9, 2), -0.1);  // the same unit again
  EXPECT_EQ(cache.find(2, 0, {1}).front(), 900);
  EXPECT_EQ(cache.bytes(), 2 * unit);
  DecisionCache none(unit - 1);
  none.put(1, 0, {1, 2}, decisions(1, 2), 0);
  EXPECT_EQ(none.bytes(), 0U);
}

}  // namespace
}  // namespace krossfold::studies
