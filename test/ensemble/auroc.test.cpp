// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/ensemble/auroc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "krossfold/core/error.hpp"

namespace krossfold::ensemble {
namespace {

using Values = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Scores with many ties (integers) or none.
Values random_scores(std::mt19937& random, bool ties) {
  std::uniform_real_distribution<double> uniform(-3, 3);
  Values score(1 + random() % 60);
  for (double& s : score) s = ties ? std::round(uniform(random)) : uniform(random);
  return score;
}

TEST(Auroc, is_the_share_of_pairs_in_order_with_ties_at_one_half) {
  const unsigned seed = 71;
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", round " << round);
    const Values in = random_scores(random, round % 2 == 0), out = random_scores(random, round % 2 == 0);
    double pairs = 0;
    for (const double a : in) {
      for (const double b : out) pairs += b > a ? 1 : b == a ? 0.5 : 0;
    }
    ASSERT_DOUBLE_EQ(auroc(in, out), pairs / static_cast<double>(in.size() * out.size()));
    ASSERT_NEAR(auroc(out, in), 1 - auroc(in, out), 0x1p-53);
    Values grown = in, grown_out = out;  // only the order matters
    for (Values* scores : {&grown, &grown_out}) {
      for (double& s : *scores) s = std::exp(2 * s);
    }
    ASSERT_EQ(auroc(grown, grown_out), auroc(in, out));
  }
}

TEST(Auroc, of_the_extremes) {
  EXPECT_EQ(auroc(Values{0, 1, 2}, Values{3, 4}), 1);
  EXPECT_EQ(auroc(Values{3, 4}, Values{0, 1, 2}), 0);
  EXPECT_EQ(auroc(Values{1, 1, 1}, Values{1, 1}), 0.5);
  EXPECT_EQ(auroc(Values{0}, Values{0}), 0.5);
  EXPECT_EQ(auroc(Values{-infinity, 0}, Values{infinity, infinity}), 1);
  EXPECT_EQ(auroc(Values{infinity}, Values{infinity}), 0.5);
}

TEST(Auroc, counts_more_pairs_than_int_holds) {
  const Values many(100000, 0.0);
  EXPECT_EQ(auroc(many, many), 0.5);
}

TEST(Auroc, refuses_nan_and_nothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(auroc(Values{nan, 1}, Values{1}), Error);
  EXPECT_THROW(auroc(Values{1}, Values{nan}), Error);
  EXPECT_THROW(auroc(Values{}, Values{1}), Error);
  EXPECT_THROW(auroc(Values{1}, Values{}), Error);
  EXPECT_THROW(threshold_keeping(Values{}, 0.95), Error);
  EXPECT_THROW(share_kept(Values{nan}, 0), Error);
  for (const double share : {0.0, -0.5, 1.01, nan}) EXPECT_THROW(threshold_keeping(Values{1, 2}, share), Error);
}

TEST(Threshold, is_the_least_score_that_keeps_the_share) {
  const unsigned seed = 72;
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    const Values in = random_scores(random, round % 2 == 0);
    for (const double share : {0.05, 0.5, 0.95, 0.99, 1.0}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", round " << round << ", share " << share);
      const double threshold = threshold_keeping(in, share);
      ASSERT_GE(share_kept(in, threshold), share);
      ASSERT_GT(std::count(in.begin(), in.end(), threshold), 0);
      for (const double lower : in) {
        ASSERT_TRUE(lower >= threshold || share_kept(in, lower) < share);
      }
    }
  }
}

TEST(Threshold, is_exact_where_the_share_is_a_whole_number_of_scores) {
  Values in(100);
  for (int i = 0; i < 100; ++i) in[i] = i + 1;
  for (int percent = 1; percent <= 100; ++percent) EXPECT_EQ(threshold_keeping(in, percent / 100.0), percent);
  EXPECT_EQ(threshold_keeping(Values{5}, 0.95), 5);
  EXPECT_EQ(threshold_keeping(Values{2, 2, 2}, 0.5), 2);
}

TEST(ShareKept, counts_scores_that_do_not_exceed_the_threshold) {
  EXPECT_EQ(share_kept(Values{1, 2, 2, 3}, 2), 0.75);
  EXPECT_EQ(share_kept(Values{1, 2, 2, 3}, 0.5), 0);
  EXPECT_EQ(share_kept(Values{1, infinity}, 7), 0.5);
}

}  // namespace
}  // namespace krossfold::ensemble
