// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/planning/formation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "krossfold/core/error.hpp"
#include "test/studies/svm/sample_study.hpp"

namespace krossfold::planning {
namespace {

using testing::ElementsAre;

TEST(Formation, has_the_ranks_of_each_node_one_after_the_other) {
  const Formation formation = parse_formation("2x3");
  EXPECT_EQ(formation.name, "2x3");
  EXPECT_THAT(formation.node, ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(formation.speed, ElementsAre(1, 1, 1, 1, 1, 1));
  EXPECT_EQ(formation.power(), 6);
}

TEST(Formation, joins_groups_of_different_nodes) {
  const Formation formation = parse_formation("1x2@2+2x1@0.5");
  EXPECT_THAT(formation.node, ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(formation.speed, ElementsAre(2, 2, 0.5, 0.5));
  EXPECT_EQ(formation.power(), 5);
  EXPECT_EQ(formation.fastest(), 2);
}

TEST(Formation, lists_keep_their_order) {
  const auto formations = parse_formations("1x4,4x1,1x1+1x2");
  ASSERT_EQ(formations.size(), 3u);
  EXPECT_EQ(formations[1].name, "4x1");
  EXPECT_EQ(formations[2].ranks(), 3);
}

TEST(Formation, refuses_everything_else_and_names_the_option) {
  for (const char* word : {"",      "4",        "x4",    "4x",      "0x4",           "4x0",        "-1x4",    "1.5x2",
                           "2x3x4", "1x2@",     "1x2@0", "1x2@-1",  "1x2@nan",       "1x2@inf",    "1x2@1e9", "1x2+",
                           "+1x2",  "1x2,,1x4", "1x2 ",  "16384x2", "99999999999x1", "1x16384+1x1"}) {
    SCOPED_TRACE(word);
    const std::string message = test::message_of(ExitCode::usage, [&] { parse_formations(word); });
    EXPECT_NE(message.find("for --formation"), std::string::npos) << message;
  }
  EXPECT_EQ(parse_formation("1x16384").ranks(), max_ranks);
}

TEST(Price, is_of_all_nodes_for_the_time) {
  const Formation both = parse_formation("3x4+2x8@2");
  EXPECT_THAT(both.nodes, ElementsAre(3, 2));
  EXPECT_EQ(both.node_count(), 5);
  EXPECT_EQ(price_of(both, 1800, {}), std::nullopt);
  EXPECT_DOUBLE_EQ(*price_of(both, 1800, {2.5}), 0.5 * 5 * 2.5);
  EXPECT_DOUBLE_EQ(*price_of(both, 1800, parse_prices("0.5+4")), 0.5 * (3 * 0.5 + 2 * 4));
  EXPECT_THAT(test::message_of(ExitCode::usage,
                               [&] {
                                 price_of(both, 1, {1, 2, 3});
                               }),
              testing::HasSubstr("--price has 3 values, and formation 3x4+2x8@2 has 2 groups"));
  EXPECT_THAT(test::message_of(ExitCode::usage,
                               [] {
                                 price_of(parse_formation("2x4"), 1, {1, 2});
                               }),
              testing::HasSubstr("formation 2x4 has 1 group "));
}

TEST(Price, refuses_what_is_no_number_above_0) {
  for (const char* word : {"", "0", "-1", "nan", "inf", "1e99", "2,5", "1+", "+1", "1 ", "$1"}) {
    EXPECT_THAT(test::message_of(ExitCode::usage, [&] { parse_prices(word); }), testing::HasSubstr("for --price"))
        << word;
  }
}

TEST(Devices, are_those_of_the_backend_at_the_end) {
  for (const char* formation : {"1x1xCUDA", "2x4xHIP", "3+2xSYCL"}) EXPECT_TRUE(has_devices(formation)) << formation;
  for (const char* formation : {"1x1xSerial", "3+2xOpenMP", "", "CUDAx"}) {
    EXPECT_FALSE(has_devices(formation)) << formation;
  }
}

}  // namespace
}  // namespace krossfold::planning
