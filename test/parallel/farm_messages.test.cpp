// SPDX-License-Identifier: BSD-3-Clause
#include "src/parallel/farm_messages.hpp"

#include <gtest/gtest.h>

#include <random>

#include "krossfold/core/error.hpp"
#include "test/core/whole_bytes.hpp"

namespace krossfold::parallel {
namespace {

Record sample_record(int k) {
  Record record;
  record.key = {3, {k, -1, 1 << 30}};
  record.status = k % 2 == 0 ? Status::done : Status::failed;
  record.reason = k % 2 == 0 ? "" : std::string("not\0finite", 10);
  record.started = 1.25 * k;
  record.seconds = 1e-9;
  record.rank = k;
  record.payload.assign(static_cast<std::size_t>(1000 * k), std::byte(k));
  return record;
}

Request sample_request() { return {{sample_record(0), sample_record(1), sample_record(2)}, false, "no space"}; }

Answer sample_answer() {
  Answer answer;
  answer.unit = Unit{{7, {1, 2, 3}}, 0.1, -1, {std::byte{9}, std::byte{0}}};
  return answer;
}

Answer sample_end() {
  Answer answer;
  answer.failed = true;
  answer.error = "cannot write the journal (no space left on device)";
  answer.error_code = 2;
  return answer;
}

void expect_equal(const Record& a, const Record& b) {
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.started, b.started);
  EXPECT_EQ(a.seconds, b.seconds);
  EXPECT_EQ(a.rank, b.rank);
  EXPECT_EQ(a.payload, b.payload);
}

TEST(FarmMessages, request_comes_back_as_it_was) {
  EXPECT_TRUE(request_from_bytes(to_bytes(Request{})).records.empty());
  const Request sent = sample_request(), received = request_from_bytes(to_bytes(sent));
  ASSERT_EQ(received.records.size(), sent.records.size());
  for (std::size_t k = 0; k < sent.records.size(); ++k) expect_equal(received.records[k], sent.records[k]);
  EXPECT_EQ(received.error, sent.error);
}

TEST(FarmMessages, answer_comes_back_as_it_was) {
  const Answer answer = sample_answer(), received = answer_from_bytes(to_bytes(answer));
  ASSERT_TRUE(received.unit);
  EXPECT_EQ(received.unit->key, answer.unit->key);
  EXPECT_EQ(received.unit->cost, answer.unit->cost);
  EXPECT_EQ(received.unit->affinity, answer.unit->affinity);
  EXPECT_EQ(received.unit->input, answer.unit->input);
  EXPECT_FALSE(received.finished);
  EXPECT_FALSE(received.failed);

  const Answer end = answer_from_bytes(to_bytes(sample_end()));
  EXPECT_FALSE(end.unit);
  EXPECT_FALSE(end.finished);
  EXPECT_TRUE(end.failed);
  EXPECT_EQ(end.error, sample_end().error);
  EXPECT_EQ(end.error_code, 2);

  Answer good;
  good.finished = true;
  EXPECT_TRUE(answer_from_bytes(to_bytes(good)).finished);
}

TEST(FarmMessages, torn_or_lengthened_bytes_are_an_error) {
  test::expect_only_the_whole_is_read(to_bytes(sample_request()), "damaged", request_from_bytes);
  test::expect_only_the_whole_is_read(to_bytes(sample_answer()), "damaged", answer_from_bytes);
  test::expect_only_the_whole_is_read(to_bytes(sample_end()), "damaged", answer_from_bytes);
}

TEST(FarmMessages, damaged_bytes_name_the_message) {
  const std::vector<std::byte> few(3);
  const auto message_of = [](auto action) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::failed);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message_of([&] { request_from_bytes(few); }).find("damaged request of a worker ("), 0);
  EXPECT_EQ(message_of([&] { answer_from_bytes(few); }).find("damaged answer of the manager ("), 0);
}

// There is no checksum: damage may go unnoticed, but it must not crash the reader or make it allocate without limit.
TEST(FarmMessages, random_damage_is_an_error_or_another_message) {
  const unsigned seed = 20240611;
  std::mt19937 random(seed);
  const std::vector<std::byte> request = to_bytes(sample_request()), answer = to_bytes(sample_answer());
  int errors = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::byte> damaged = round % 2 == 0 ? request : answer;
    // Half of the damage hits the first bytes, which hold the lengths.
    const std::size_t range = round % 4 < 2 ? std::min<std::size_t>(damaged.size(), 64) : damaged.size();
    damaged[random() % range] ^= std::byte(1 + random() % 255);
    try {
      if (round % 2 == 0) {
        EXPECT_LE(request_from_bytes(damaged).records.size(), 3u) << "seed " << seed << ", round " << round;
      } else {
        answer_from_bytes(damaged);
      }
    } catch (const Error&) {
      ++errors;
    }
  }
  EXPECT_GT(errors, 500) << "seed " << seed;
}

}  // namespace
}  // namespace krossfold::parallel
