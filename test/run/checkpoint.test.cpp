// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "test/run/memory_sink.hpp"

namespace krossfold::run {
namespace {

std::vector<std::byte> bytes_of(std::string_view letters) {
  std::vector<std::byte> bytes;
  for (const char letter : letters) bytes.push_back(static_cast<std::byte>(letter));
  return bytes;
}

Unit unit_of(int index, std::string_view input = "") {
  Unit unit;
  unit.key = {1, {index, 2, 0}};
  unit.input = bytes_of(input);
  return unit;
}

class UnitCheckpoints : public ::testing::Test {
protected:
  test::MemorySink sink;
  const CheckpointParams params{7, 0};

  UnitCheckpoints() {
    run::UnitCheckpoints parts(params);
    parts.begin(unit_of(3, "in"), sink);
    parts.keep(bytes_of("what was found"));
  }
  auto found(const Unit& unit, std::uint64_t identity = 7) {
    run::UnitCheckpoints parts({identity, 0});
    return parts.begin(unit, sink);
  }
};

TEST_F(UnitCheckpoints, bring_back_what_was_kept_last) {
  EXPECT_EQ(found(unit_of(3, "in")), bytes_of("what was found"));
  run::UnitCheckpoints parts(params);
  parts.begin(unit_of(3, "in"), sink);
  parts.keep(bytes_of("more"));
  EXPECT_EQ(found(unit_of(3, "in")), bytes_of("more"));
}

TEST_F(UnitCheckpoints, of_another_study_input_or_unit_are_nothing) {
  EXPECT_FALSE(found(unit_of(3, "in"), 8));
  EXPECT_FALSE(found(unit_of(3, "other")));
  EXPECT_FALSE(found(unit_of(4, "in")));
  sink.stored["unit-1-4-2-0.part"] = sink.stored["unit-1-3-2-0.part"];
  EXPECT_FALSE(found(unit_of(4, "in")));
}

TEST_F(UnitCheckpoints, torn_or_damaged_are_nothing) {
  auto& stored = sink.stored.at("unit-1-3-2-0.part");
  const auto whole = stored;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    stored.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_FALSE(found(unit_of(3, "in"))) << length;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    stored = whole;
    stored[at] ^= std::byte{4};
    EXPECT_FALSE(found(unit_of(3, "in"))) << at;
  }
}

TEST_F(UnitCheckpoints, that_take_longer_to_store_than_to_compute_are_not_worth_it) {
  run::UnitCheckpoints parts(params);
  parts.begin(unit_of(3, "in"), sink);
  EXPECT_TRUE(parts.worth_keeping(1000));
  EXPECT_TRUE(parts.worth_keeping(100'000'000));
  EXPECT_FALSE(parts.worth_keeping(1'000'000'000)) << "two seconds, of a unit that has just begun";
  EXPECT_FALSE(parts.worth_keeping(100'000'000'000)) << "longer than anyone waits";
}

TEST_F(UnitCheckpoints, go_when_another_unit_begins_whose_predecessor_is_safe) {
  for (const double synced_after : {0.0, 1000.0}) {
    run::UnitCheckpoints parts({7, 0, 0, synced_after});
    parts.begin(unit_of(3, "in"), sink);
    parts.keep(bytes_of("what was found"));
    parts.complete();
    EXPECT_EQ(sink.stored.count("unit-1-3-2-0.part"), 1U);
    parts.begin(unit_of(5), sink);
    EXPECT_EQ(sink.stored.count("unit-1-3-2-0.part"), synced_after > 0 ? 1U : 0U);
  }
}

TEST_F(UnitCheckpoints, are_due_after_their_time) {
  run::UnitCheckpoints often({7, 0}), seldom({7, 3600});
  often.begin(unit_of(3), sink);
  seldom.begin(unit_of(3), sink);
  EXPECT_TRUE(often.due());
  EXPECT_FALSE(seldom.due());
}

TEST(PartName, tells_units_apart) {
  EXPECT_EQ(checkpoint_name({1, {3, 2, 0}}), "unit-1-3-2-0.part");
  EXPECT_NE(checkpoint_name({1, {3, 2, 0}}), checkpoint_name({4, {3, 2, 0}}));
  EXPECT_NE(checkpoint_name({1, {3, 21, 0}}), checkpoint_name({1, {32, 1, 0}}));
}

}  // namespace
}  // namespace krossfold::run
