// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/unit_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "krossfold/core/error.hpp"

namespace krossfold::parallel {
namespace {

using testing::ElementsAre;

Unit unit(int index, double cost, std::int64_t affinity = -1) { return {{1, {index, 0, 0}}, cost, affinity}; }

UnitQueue queue_of(const std::vector<Unit>& units) {
  UnitQueue queue;
  for (const Unit& one : units) queue.add({one});
  return queue;
}

int take(UnitQueue& queue, int rank) {
  const auto next = queue.take(rank);
  return next ? next->key.index[0] : -1;
}

std::vector<int> take_all(UnitQueue& queue, int rank) {
  std::vector<int> taken;
  while (!queue.empty()) taken.push_back(take(queue, rank));
  return taken;
}

TEST(UnitQueue, gives_every_unit_once_to_whoever_asks) {
  const unsigned seed = 77;
  std::mt19937 random(seed);
  std::vector<Unit> units;
  for (int k = 0; k < 200; ++k) units.push_back(unit(k, random() % 5, static_cast<std::int64_t>(random() % 6) - 1));
  UnitQueue queue = queue_of(units);
  EXPECT_EQ(queue.size(), 200);
  std::set<int> taken;
  for (int k = 0; k < 200; ++k) {
    const auto next = queue.take(static_cast<int>(random() % 4));
    ASSERT_TRUE(next) << "seed " << seed;
    EXPECT_TRUE(taken.insert(next->key.index[0]).second) << "seed " << seed;
    queue.measured(*next, random() % 3);
  }
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.size(), 0);
  EXPECT_FALSE(queue.take(0));
  EXPECT_EQ(queue.expected_left(), 0);
}

TEST(UnitQueue, longest_goes_first_and_equal_ones_by_key) {
  UnitQueue queue = queue_of({unit(5, 1), unit(4, 3), unit(3, 2), unit(2, 1), unit(1, 3)});
  EXPECT_THAT(take_all(queue, 0), ElementsAre(1, 4, 3, 2, 5));
}

TEST(UnitQueue, order_of_adding_does_not_matter) {
  std::vector<Unit> units = {unit(0, 2, 0), unit(1, 2, 0), unit(2, 4, 1), unit(3, 1, 1), unit(4, 2), unit(5, 2)};
  UnitQueue first = queue_of(units);
  const std::vector<int> expected = take_all(first, 0);
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(units.begin(), units.end(), random);
    UnitQueue queue = queue_of(units);
    EXPECT_EQ(take_all(queue, 0), expected);
  }
}

TEST(UnitQueue, rank_stays_with_its_group_though_others_have_longer_units) {
  UnitQueue queue = queue_of({unit(0, 3, 0), unit(1, 3, 0), unit(2, 3, 0), unit(10, 4, 1), unit(11, 4, 1)});
  EXPECT_EQ(take(queue, 0), 0);  // group 0 has 9 left, group 1 has 8
  EXPECT_EQ(take(queue, 1), 10);
  EXPECT_EQ(take(queue, 0), 1);
  EXPECT_EQ(take(queue, 0), 2);
}

TEST(UnitQueue, free_group_comes_before_a_larger_one_that_another_rank_holds) {
  UnitQueue queue = queue_of({unit(0, 9, 0), unit(1, 9, 0), unit(2, 9, 0), unit(10, 1, 1), unit(20, 2, 2)});
  EXPECT_EQ(take(queue, 0), 0);
  EXPECT_EQ(take(queue, 1), 20);  // the larger of the two free groups
  EXPECT_EQ(take(queue, 1), 10);
  EXPECT_EQ(take(queue, 1), 1);  // nothing else is left: it helps
}

TEST(UnitQueue, helps_the_group_with_most_work_left) {
  UnitQueue queue = queue_of({unit(0, 5, 0), unit(1, 2, 0), unit(10, 4, 1), unit(11, 3, 1)});
  EXPECT_EQ(take(queue, 0), 0);
  EXPECT_EQ(take(queue, 1), 10);
  EXPECT_EQ(take(queue, 2), 11);  // 3 left in group 1, 2 in group 0
}

TEST(UnitQueue, helps_an_overloaded_group_before_a_free_one_until_its_ranks_have_their_fair_share) {
  UnitQueue queue({Schedule::dynamic, {0, 0, 0, 0}});
  queue.add({unit(0, 10, 0), unit(1, 10, 0), unit(2, 10, 0), unit(3, 10, 0), unit(10, 6, 1)});
  EXPECT_EQ(take(queue, 0), 0);
  EXPECT_EQ(take(queue, 1), 1);   // group 0 has 30 left for one rank, a quarter of all is 9
  EXPECT_EQ(take(queue, 2), 2);   // 20 for two ranks, a quarter is 6.5
  EXPECT_EQ(take(queue, 3), 10);  // 10 for three ranks, a quarter is 4
}

TEST(UnitQueue, unit_of_no_group_does_not_make_a_rank_forget_its_group) {
  UnitQueue queue = queue_of({unit(0, 1, 0)});
  EXPECT_EQ(take(queue, 0), 0);
  queue.add({unit(5, 1)});
  EXPECT_EQ(take(queue, 0), 5);
  queue.add({unit(1, 1, 0)});
  queue.add({unit(10, 9, 1)});
  EXPECT_EQ(take(queue, 0), 1);
}

TEST(UnitQueue, measured_times_correct_what_is_expected) {
  UnitQueue queue = queue_of({unit(0, 100, 0), unit(1, 100, 1), unit(2, 50)});
  EXPECT_EQ(queue.expected(unit(9, 40, 0)), 40);  // nothing is known yet
  EXPECT_EQ(queue.expected_left(), 250);
  queue.measured(unit(7, 100, 0), 2);
  EXPECT_DOUBLE_EQ(queue.expected(unit(9, 40, 0)), .8);
  EXPECT_DOUBLE_EQ(queue.expected(unit(9, 40, 1)), .8);  // group 1 has no times yet: uses the ratio of all units
  queue.measured(unit(8, 100, 1), 6);
  EXPECT_DOUBLE_EQ(queue.expected(unit(9, 40, 0)), .8);
  EXPECT_DOUBLE_EQ(queue.expected(unit(9, 40, 1)), 2.4);
  EXPECT_DOUBLE_EQ(queue.expected(unit(9, 40, 2)), 1.6);  // (2 + 6) s for 200
  EXPECT_DOUBLE_EQ(queue.expected(unit(9, 40)), 1.6);
  EXPECT_DOUBLE_EQ(queue.expected_left(), 2 + 6 + 2);
}

TEST(UnitQueue, measured_times_change_which_group_is_taken) {
  const std::vector<Unit> units = {unit(0, 10, 0), unit(10, 9, 1)};
  UnitQueue guessed = queue_of(units);
  EXPECT_EQ(take(guessed, 0), 0);
  UnitQueue corrected = queue_of(units);
  corrected.measured(unit(1, 10, 0), 1);
  corrected.measured(unit(11, 9, 1), 5);
  EXPECT_EQ(take(corrected, 0), 10);
}

TEST(UnitQueue, costs_of_zero_are_no_trouble) {
  UnitQueue queue = queue_of({unit(1, 0), unit(0, 0), unit(2, 0, 3)});
  queue.measured(unit(7, 0), 5);
  queue.measured(unit(8, 0, 3), 0);
  EXPECT_EQ(queue.expected_left(), 0);
  EXPECT_THAT(take_all(queue, 0), ElementsAre(0, 1, 2));
}

TEST(UnitQueue, higher_priority_goes_before_group_and_length) {
  UnitQueue queue = queue_of({unit(0, 3, 0), unit(1, 3, 0), unit(2, 9)});
  EXPECT_EQ(take(queue, 0), 2);
  EXPECT_EQ(take(queue, 0), 0);
  Unit urgent = unit(5, 1);
  urgent.priority = 1;
  Unit later = unit(6, 100);
  later.priority = -1;
  queue.add({urgent, later});
  EXPECT_THAT(take_all(queue, 0), ElementsAre(5, 1, 6));
}

std::vector<Unit> numbered(int count) {
  std::vector<Unit> units;
  for (int k = 0; k < count; ++k) units.push_back(unit(k, 1 + k % 3, k % 2));
  return units;
}

/// The units of each rank if all ask in turn until none gets any.
std::vector<std::vector<int>> shares(UnitQueue& queue, int ranks) {
  std::vector<std::vector<int>> taken(static_cast<std::size_t>(ranks));
  for (bool any = true; any;) {
    any = false;
    for (int rank = 0; rank < ranks; ++rank) {
      const int next = take(queue, rank);
      if (next < 0) continue;
      taken[static_cast<std::size_t>(rank)].push_back(next);
      any = true;
    }
  }
  return taken;
}

TEST(UnitQueue, static_schedule_gives_every_rank_an_equal_run_of_the_keys) {
  UnitQueue queue({Schedule::fixed, {0, 0, 0}});
  queue.add(numbered(10));
  EXPECT_THAT(shares(queue, 3), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5), ElementsAre(6, 7, 8, 9)));
  EXPECT_TRUE(queue.empty());
}

TEST(UnitQueue, static_schedule_lets_a_rank_wait_whose_share_is_empty) {
  UnitQueue queue({Schedule::fixed, {0, 0}});
  queue.add(numbered(4));
  EXPECT_EQ(take(queue, 0), 0);
  EXPECT_EQ(take(queue, 0), 1);
  EXPECT_EQ(take(queue, 0), -1);
  EXPECT_EQ(queue.size(), 2);
  EXPECT_EQ(queue.expected_left(), 3 + 1);
  EXPECT_EQ(take(queue, 1), 2);
}

TEST(UnitQueue, node_static_schedule_splits_over_nodes_and_queues_within) {
  UnitQueue queue({Schedule::node_static, {0, 0, 1}});
  queue.add(numbered(6));
  EXPECT_EQ(take(queue, 1), 0);
  EXPECT_EQ(take(queue, 2), 3);
  EXPECT_EQ(take(queue, 0), 1);
  EXPECT_EQ(take(queue, 1), 2);
  EXPECT_EQ(take(queue, 1), -1);
  EXPECT_EQ(take(queue, 2), 4);
}

TEST(UnitQueue, shuffled_schedule_gives_equal_shares_in_an_order_that_the_seed_decides) {
  const auto of_seed = [](std::uint64_t seed) {
    UnitQueue queue({Schedule::shuffled, {0, 0, 0, 0}, seed});
    queue.add(numbered(40));
    return shares(queue, 4);
  };
  const auto taken = of_seed(1);
  std::set<int> all;
  for (const auto& share : taken) {
    EXPECT_EQ(share.size(), 10u);
    EXPECT_FALSE(std::is_sorted(share.begin(), share.end()));
    all.insert(share.begin(), share.end());
  }
  EXPECT_EQ(all.size(), 40u);
  EXPECT_EQ(of_seed(1), taken);
  EXPECT_NE(of_seed(2), taken);
}

TEST(UnitQueue, split_schedules_leave_a_successor_with_the_rank_that_made_it_ready) {
  for (const Schedule schedule : {Schedule::fixed, Schedule::shuffled}) {
    UnitQueue queue({schedule, {0, 0, 0}});
    queue.add({unit(7, 1)}, 1);
    EXPECT_EQ(take(queue, 0), -1);
    EXPECT_EQ(take(queue, 1), 7);
  }
  UnitQueue queue({Schedule::node_static, {0, 1, 1}});
  queue.add({unit(7, 1)}, 1);
  EXPECT_EQ(take(queue, 0), -1);
  EXPECT_EQ(take(queue, 2), 7);
}

TEST(UnitQueue, split_schedules_deal_single_units_of_unknown_origin_in_turn) {
  UnitQueue queue({Schedule::fixed, {0, 0, 0}});
  for (int k = 0; k < 6; ++k) queue.add({unit(k, 1)});
  EXPECT_THAT(shares(queue, 3), ElementsAre(ElementsAre(0, 3), ElementsAre(1, 4), ElementsAre(2, 5)));
}

TEST(UnitQueue, shuffled_schedule_shuffles_each_batch_anew) {
  UnitQueue queue({Schedule::shuffled, {0}, 1});
  queue.add(numbered(40));
  const std::vector<int> first = take_all(queue, 0);
  queue.add(numbered(40));
  EXPECT_NE(take_all(queue, 0), first);
}

TEST(Schedule, names_are_read_back_and_others_refused_with_the_nearest) {
  for (const Schedule schedule : all_schedules) EXPECT_EQ(parse_schedule(name_of(schedule)), schedule);
  try {
    parse_schedule("node-statik");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("Did you mean node-static?"));
    EXPECT_EQ(error.code(), ExitCode::usage);
  }
}

}  // namespace
}  // namespace krossfold::parallel
