// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/planning/link_model.hpp"

#include <gtest/gtest.h>

namespace krossfold::planning {
namespace {

/// 10 steps of a million numbers: 1.6 s of computing on each of two ranks, 0.4 s for the exchange.
MeasuredSteps two_ranks() {
  MeasuredSteps steps;
  steps.workers = 8;
  steps.ranks = 2;
  steps.steps = 10;
  steps.seconds = 2;
  steps.comm_seconds = 0.4;
  steps.summed = 1e6;
  steps.sums = 1;
  return steps;
}

TEST(StepModel, on_the_measured_ranks_gives_the_measured_time) {
  const auto link = measured_link(two_ranks());
  ASSERT_TRUE(link);
  EXPECT_NEAR(epoch_seconds(two_ranks(), 2, *link), 2, 1e-12);
}

TEST(StepModel, shares_the_computing_and_adds_the_exchange) {
  const Link link{1e-3, 1e9};
  EXPECT_NEAR(epoch_seconds(two_ranks(), 1, link), 3.2, 1e-12);
  // Each of four ranks has two shards: it sends 3/4 of each to the others, and 3/4 of the sums.
  EXPECT_NEAR(bytes_sent(two_ranks(), 4), 4e6 * 0.75 * 3, 1e-6);
  EXPECT_NEAR(epoch_seconds(two_ranks(), 4, link), 0.8 + 10 * (6e-3 + 9e6 / 1e9), 1e-12);
}

TEST(StepModel, keeps_what_every_rank_computes_whole) {
  MeasuredSteps steps = two_ranks();
  steps.replicated = 0.25;  // 1.6 s on each of two ranks are 1.6 / (0.25 + 0.75 / 2) s on one
  EXPECT_NEAR(computing_seconds(steps, 2), 1.6, 1e-12);
  EXPECT_NEAR(computing_seconds(steps, 1), 2.56, 1e-12);
  EXPECT_NEAR(computing_seconds(steps, 4), 2.56 * (0.25 + 0.75 / 4), 1e-12);
}

TEST(StepModel, of_a_root_sends_more_and_what_is_gathered_goes_once) {
  MeasuredSteps root = two_ranks(), factors = two_ranks();
  root.gathers_on_root = true;
  factors.gathered = 1e6;
  factors.gathers = 1;
  EXPECT_NEAR(bytes_sent(root, 4), 4e6 * 3 * 3, 1e-6);
  EXPECT_NEAR(bytes_sent(factors, 4) - bytes_sent(two_ranks(), 4), 4e6 * 0.75, 1e-6);
  EXPECT_EQ(messages(two_ranks(), 4), 6);
  EXPECT_EQ(messages(factors, 4), 9);
}

TEST(StepModel, of_one_rank_knows_no_link) {
  MeasuredSteps one = two_ranks();
  one.ranks = 1;
  EXPECT_FALSE(measured_link(one));
}

}  // namespace
}  // namespace krossfold::planning
