// SPDX-License-Identifier: BSD-3-Clause
#include "src/parallel/stall_watch.hpp"

#include <gtest/gtest.h>

namespace krossfold::parallel {
namespace {

/// Asks every tenth of a second; the manager asks more often.
std::optional<int> watch(StallWatch& watch, double from, double to) {
  for (int tenths = 0; from + .1 * tenths <= to; ++tenths) {
    if (const auto rank = watch.stalled(from + .1 * tenths)) return rank;
  }
  return std::nullopt;
}

TEST(StallWatch, rank_without_a_sign_is_named_after_the_time_and_not_before) {
  StallWatch ranks(3, 5);
  for (const int rank : {0, 1, 2}) ranks.turn(rank, true, 1);
  ranks.report(0, 10, 4);
  ranks.report(2, 10, 4);
  EXPECT_EQ(watch(ranks, 1, 5.9), std::nullopt);
  EXPECT_EQ(ranks.stalled(6.05), 1);
}

TEST(StallWatch, reports_of_a_busy_rank_that_looks_no_more_are_no_sign) {
  StallWatch ranks(1, 5);
  ranks.turn(0, true, 0);
  for (int second = 1; second <= 10; ++second) {
    ranks.report(0, 7, second);  // only the first report shows progress
    EXPECT_EQ(watch(ranks, second, second + .9), second < 6 ? std::nullopt : std::optional(0)) << second;
  }
}

TEST(StallWatch, any_report_is_a_sign_of_a_rank_that_waits_for_work) {
  StallWatch ranks(1, 5);
  for (int second = 0; second < 20; ++second) {
    ranks.report(0, 7, second);
    EXPECT_EQ(watch(ranks, second, second + .9), std::nullopt);
  }
  EXPECT_EQ(watch(ranks, 20, 30), 0);
}

TEST(StallWatch, time_in_which_the_watcher_was_suspended_does_not_count) {
  StallWatch ranks(1, 5);
  ranks.turn(0, true, 0);
  EXPECT_EQ(watch(ranks, 0, 3), std::nullopt);
  EXPECT_EQ(watch(ranks, 1003, 1004.5), std::nullopt);
  EXPECT_EQ(watch(ranks, 1004.6, 1006), 0);
  StallWatch later(1, 5);
  EXPECT_EQ(watch(later, 0, 2), std::nullopt);
  later.turn(0, true, 2);
  EXPECT_EQ(watch(later, 2, 3), std::nullopt);
  EXPECT_EQ(watch(later, 1003, 1006.5), std::nullopt) << "a second of the five has gone";
  EXPECT_EQ(watch(later, 1006.6, 1008), 0);
}

TEST(StallWatch, the_whole_timeout_is_allowed_and_a_look_every_second_is_no_suspension) {
  StallWatch ranks(1, 5);
  ranks.turn(0, true, 0);
  for (int second = 1; second <= 5; ++second) EXPECT_EQ(ranks.stalled(second), std::nullopt) << second;
  EXPECT_EQ(ranks.stalled(6), 0);
}

TEST(StallWatch, timeout_of_zero_watches_nobody) {
  StallWatch ranks(2, 0);
  EXPECT_FALSE(ranks.on());
  EXPECT_EQ(watch(ranks, 0, 1e3), std::nullopt);
}

}  // namespace
}  // namespace krossfold::parallel
