// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/mailbox.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace krossfold::parallel {
namespace {

TEST(Mailbox, gives_an_item_once) {
  Mailbox<int> box;
  EXPECT_FALSE(box.poll());
  box.put(7);
  EXPECT_EQ(box.poll(), 7);
  EXPECT_FALSE(box.poll());
  box.put(8);
  EXPECT_EQ(box.wait(), 8);
  EXPECT_FALSE(box.poll());
}

TEST(Mailbox, hands_on_items_that_can_only_be_moved) {
  Mailbox<std::unique_ptr<int>> box;
  box.put(std::make_unique<int>(3));
  const std::unique_ptr<int> item = box.wait();
  ASSERT_TRUE(item);
  EXPECT_EQ(*item, 3);
}

TEST(Mailbox, wait_returns_only_once_there_is_an_item) {
  Mailbox<int> box;
  std::atomic<bool> put = false;
  std::thread sender([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    put = true;
    box.put(1);
  });
  EXPECT_EQ(box.wait(), 1);
  EXPECT_TRUE(put);
  sender.join();
}

// As in a farm, one side waits, the other polls, and each puts an item only after the other's answer.
TEST(Mailbox, loses_and_doubles_nothing_between_two_threads) {
  constexpr int rounds = 20000;
  Mailbox<int> requests, answers;
  std::thread manager([&] {
    for (int k = 0; k < rounds; ++k) {
      std::optional<int> request;
      while (!(request = requests.poll())) std::this_thread::yield();
      answers.put(2 * *request);
    }
  });
  int wrong = 0;
  for (int k = 0; k < rounds; ++k) {
    requests.put(k);
    wrong += answers.wait() != 2 * k ? 1 : 0;
  }
  manager.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_FALSE(requests.poll());
  EXPECT_FALSE(answers.poll());
}

}  // namespace
}  // namespace krossfold::parallel
