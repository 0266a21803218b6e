// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/price.hpp"

#include <gtest/gtest.h>

#include "krossfold/svm/augmented_lagrangian.hpp"
#include "krossfold/svm/interior_point.hpp"

namespace krossfold {
namespace {

TEST(Price, IsThatOfTheMethodThatIsTriedFirst) {
  EXPECT_EQ(svm::price_of(800, 0), svm::interior_cost(800, 0));
  EXPECT_EQ(svm::price_of(800, 101), svm::interior_cost(800, 101));
  EXPECT_EQ(svm::price_of(800, 100), svm::lagrangian_cost(800, 100));
  EXPECT_LT(svm::price_of(800, 100), svm::interior_cost(800, 100));
}

TEST(Price, GrowsWithTheRank) {
  for (const int members : {2, 8, 40, 50, 1000, 20000}) {
    double before = 0;
    for (int rank = 1; rank <= members && rank < 4000; ++rank) {
      const double price = svm::price_of(members, rank);
      EXPECT_GT(price, before) << members << ' ' << rank;
      before = price;
    }
  }
}

TEST(Price, AffordableRankIsTheLargestWhosePriceIsReached) {
  for (const int members : {2, 40, 100, 3000}) {
    for (const double cost : {0.0, 1e6, 1e9, 1e12}) {
      const int rank = svm::affordable_rank(members, cost);
      EXPECT_TRUE(rank == 0 || svm::price_of(members, rank) <= cost) << rank;
      EXPECT_TRUE(rank == members || svm::price_of(members, rank + 1) > cost) << rank;
    }
  }
}

}  // namespace
}  // namespace krossfold
