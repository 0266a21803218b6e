// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/stop_news.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace krossfold::parallel {
namespace {

TEST(StopNews, reaches_every_rank_while_it_computes) {
  const Communicator comm(MPI_COMM_WORLD);
  int asked = 0;
  StopNews news(comm, [&] {
    EXPECT_TRUE(comm.is_root());
    return ++asked >= 3;
  });
  bool stopped = false;
  for (int step = 0; step < 10000 && !stopped; ++step) {
    stopped = news.stopped();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(stopped);
  EXPECT_TRUE(news.stopped()) << "the stop was forgotten";
  EXPECT_TRUE(news.finish());
}

TEST(StopNews, that_there_is_none_is_known_at_the_end) {
  const Communicator comm(MPI_COMM_WORLD);
  StopNews news(comm, [] { return false; });
  for (int step = 0; step < comm.rank(); ++step) EXPECT_FALSE(news.stopped());
  EXPECT_FALSE(news.finish());
}

TEST(StopNews, request_while_nobody_looks_is_heard_at_the_end) {
  const Communicator comm(MPI_COMM_WORLD);
  StopNews news(comm, [] { return true; });
  EXPECT_TRUE(news.finish());
}

TEST(StopNews, without_anybody_to_ask_goes_on) {
  const Communicator comm(MPI_COMM_WORLD);
  StopNews news(comm, {});
  EXPECT_FALSE(news.stopped());
  EXPECT_FALSE(news.finish());
}

TEST(StopNews, one_step_after_the_other) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const bool stop : {false, true, false}) {
    StopNews news(comm, [=] { return stop; });
    news.stopped();
    EXPECT_EQ(news.finish(), stop);
  }
}

}  // namespace
}  // namespace krossfold::parallel
