// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/ensemble/members.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "test/ensemble/random_probabilities.hpp"

namespace krossfold::ensemble {
namespace {

TEST(Members, are_all_models_or_the_ones_that_are_named) {
  const auto p = test::random_probability({4, 3, 2, 11});
  const auto all = test::members_of(p), some = test::members_of(p, {3, 1});
  EXPECT_EQ(all.models(), 4);
  EXPECT_EQ(all.samples(), 3);
  EXPECT_EQ(all.classes(), 2);
  ASSERT_EQ(some.models(), 2);
  EXPECT_EQ(on_host(some.model)(0), 3);
  EXPECT_EQ(on_host(some.model)(1), 1);
}

TEST(Members, are_each_there_and_named_once) {
  const auto p = test::random_probability({4, 3, 2, 12});
  for (const std::vector<int>& models : std::vector<std::vector<int>>{{}, {4}, {-1, 0}, {2, 0, 2}}) {
    EXPECT_THROW(test::members_of(p, models), Error) << testing::PrintToString(models);
  }
  EXPECT_THROW(test::members_of(Cube<float>("krossfold::test::probability", 2, 0, 3)), Error);
  EXPECT_THROW(test::members_of(Cube<float>("krossfold::test::probability", 0, 2, 3)), Error);
}

TEST(FiniteModels, are_those_without_nan_and_infinity) {
  const auto p = test::random_probability({5, 300, 3, 13});
  p(1, 299, 2) = std::numeric_limits<float>::quiet_NaN();
  p(3, 0, 0) = std::numeric_limits<float>::infinity();
  p(4, 256, 1) = -std::numeric_limits<float>::infinity();
  const Cube<const float, Device> there = on_device<Device>(p);
  EXPECT_THAT(finite_models<Device>(Device(), there), testing::ElementsAre(0, 2));
}

}  // namespace
}  // namespace krossfold::ensemble
