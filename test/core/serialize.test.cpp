// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/serialize.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <new>
#include <random>

#include "test/core/whole_bytes.hpp"

namespace krossfold {
namespace {

Record example_record() {
  Record record{.key = {.kind = 3, .index = {7, -1, std::numeric_limits<std::int32_t>::max()}},
                .status = Status::failed,
                .reason = std::string("loss is NaN\0after epoch 3", 25),
                .started = 12.5,
                .seconds = 0.1,
                .rank = 5,
                .payload = {}};
  for (int i = 0; i < 19; ++i) record.payload.push_back(static_cast<std::byte>(i * 37));
  return record;
}

Unit example_unit() {
  return {.key = {.kind = 9, .index = {1, 2, -3}},
          .cost = 1e-3,
          .affinity = -1,
          .input = {std::byte{4}, std::byte{0}, std::byte{250}}};
}

// Serialises a copy of `value` placed on memory filled with `garbage`, which would show through in padding bytes.
template <class T>
std::vector<std::byte> bytes_on_top_of(const T& value, int garbage) {
  alignas(T) std::byte memory[sizeof(T)];
  std::memset(memory, garbage, sizeof(T));
  T* copy = new (memory) T;
  *copy = value;
  auto bytes = to_bytes(*copy);
  copy->~T();
  return bytes;
}

TEST(Serialize, a_record_comes_back_as_it_was) {
  const Record record = example_record();
  const Record back = record_from_bytes(to_bytes(record));
  EXPECT_EQ(back.key, record.key);
  EXPECT_EQ(back.status, record.status);
  EXPECT_EQ(back.reason, record.reason);
  EXPECT_EQ(back.started, record.started);
  EXPECT_EQ(back.seconds, record.seconds);
  EXPECT_EQ(back.rank, record.rank);
  EXPECT_EQ(back.payload, record.payload);
}

TEST(Serialize, a_unit_comes_back_as_it_was) {
  const Unit unit = example_unit();
  const Unit back = unit_from_bytes(to_bytes(unit));
  EXPECT_EQ(back.key, unit.key);
  EXPECT_EQ(back.cost, unit.cost);
  EXPECT_EQ(back.affinity, unit.affinity);
  EXPECT_EQ(back.input, unit.input);
}

TEST(Serialize, the_layout_has_no_padding_and_never_changes) {
  // 4 + 12 key, 4 status, 8 + 25 reason, 8 + 8 times, 4 rank, 8 + 19 payload: journals hold these bytes.
  const auto record = to_bytes(example_record());
  EXPECT_EQ(record.size(), 100u);
  EXPECT_EQ(record[0], std::byte{3});
  EXPECT_EQ(record[4], std::byte{7});
  EXPECT_EQ(record[16], std::byte{2});
  EXPECT_EQ(record[20], std::byte{25});
  EXPECT_EQ(record[28], std::byte{'l'});
  EXPECT_EQ(record[69], std::byte{5});
  EXPECT_EQ(record[73], std::byte{19});
  EXPECT_EQ(to_bytes(example_unit()).size(), 16u + 8u + 8u + 8u + 3u);
}

TEST(Serialize, equal_values_give_equal_bytes_whatever_lay_there_before) {
  EXPECT_EQ(bytes_on_top_of(example_record(), 0x00), bytes_on_top_of(example_record(), 0xff));
  EXPECT_EQ(bytes_on_top_of(example_unit(), 0x00), bytes_on_top_of(example_unit(), 0xff));
}

TEST(Serialize, a_record_cut_off_or_followed_by_bytes_is_refused) {
  test::expect_only_the_whole_is_read(to_bytes(example_record()), "damaged record", record_from_bytes);
}

TEST(Serialize, a_unit_cut_off_or_followed_by_bytes_is_refused) {
  test::expect_only_the_whole_is_read(to_bytes(example_unit()), "damaged unit", unit_from_bytes);
}

TEST(Serialize, a_length_beyond_the_bytes_is_refused_before_memory_is_taken) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t length : {most, most / 2, most / 8 + 1, std::uint64_t{1} << 40, std::uint64_t{26}}) {
    ByteWriter writer;
    writer.put(length);
    writer.put<std::uint64_t>(0);
    const auto bytes = writer.take();
    EXPECT_THROW(ByteReader(bytes, "test").get_all<std::uint64_t>(), Error) << length;
    EXPECT_THROW(ByteReader(bytes, "test").get_string(), Error) << length;
  }
}

TEST(Serialize, an_unknown_status_is_refused) {
  auto bytes = to_bytes(example_record());
  bytes[16] = std::byte{3};
  EXPECT_THROW(record_from_bytes(bytes), Error);
  bytes[16] = bytes[17] = bytes[18] = bytes[19] = std::byte{0xff};
  EXPECT_THROW(record_from_bytes(bytes), Error);
}

TEST(Serialize, damaged_bytes_are_refused_or_read_and_nothing_else) {
  constexpr unsigned seed = 11;
  std::mt19937 random(seed);
  const auto good = to_bytes(example_record());
  for (int i = 0; i < 20000; ++i) {
    auto bytes = good;
    for (int flips = 0; flips < 3; ++flips) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    bytes.resize(random() % (bytes.size() + 1));
    bytes.shrink_to_fit();
    try {
      EXPECT_EQ(to_bytes(record_from_bytes(bytes)), bytes) << "seed " << seed << ", case " << i;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::failed);
    }
  }
}

TEST(Serialize, the_error_names_what_was_read) {
  try {
    ByteReader({}, "journal header").get<int>();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("journal header"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace krossfold
