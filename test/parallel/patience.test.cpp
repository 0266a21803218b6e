// SPDX-License-Identifier: BSD-3-Clause
#include "src/parallel/patience.hpp"

#include <gtest/gtest.h>

namespace krossfold::parallel {
namespace {

using std::chrono::milliseconds;

TEST(Patience, grows_with_the_time_since_the_last_message_and_ends_with_the_next) {
  const Patience::Clock::time_point began{};
  Patience patience(began);
  EXPECT_EQ(patience.sleep(began), Patience::brief_sleep);
  EXPECT_EQ(patience.sleep(began + milliseconds(60)), Patience::brief_sleep);
  EXPECT_EQ(patience.sleep(began + milliseconds(400)), milliseconds(2));
  EXPECT_EQ(patience.sleep(began + std::chrono::hours(5)), Patience::long_sleep);
  patience.heard(began + milliseconds(400));
  EXPECT_EQ(patience.sleep(began + milliseconds(401)), Patience::brief_sleep);
}

}  // namespace
}  // namespace krossfold::parallel
