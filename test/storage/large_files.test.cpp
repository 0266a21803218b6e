// SPDX-License-Identifier: BSD-3-Clause
// Journals and result files of large studies are opened in time that grows with their length, not with its square.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>

#include "krossfold/core/serialize.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/storage/journal.hpp"
#include "test/storage/temporary_folder.hpp"

namespace krossfold::storage {
namespace {

/// Processor time of this thread so far, in seconds.
double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Bytes that this process has read by system calls so far; nothing if the kernel does not count them.
std::optional<std::uint64_t> bytes_read() {
  std::ifstream file("/proc/self/io");
  std::string name;
  std::uint64_t bytes = 0;
  if (!(file >> name >> bytes) || name != "rchar:") return std::nullopt;
  return bytes;
}

/// What an action costs for an eighth of the items and for all: the least seconds of several times in turn, since other processes share caches.
struct Seconds {
  double eighth = std::numeric_limits<double>::infinity(), all = eighth;
};

template <class Action>
Seconds seconds_of(int times, const Action& on_eighth, const Action& on_all) {
  Seconds least;
  for (int i = 0; i < times; ++i) {
    for (const bool eighth : {true, false}) {
      const double before = processor_seconds();
      (eighth ? on_eighth : on_all)();
      double& best = eighth ? least.eighth : least.all;
      best = std::min(best, processor_seconds() - before);
    }
  }
  return least;
}

/// Eight times the items take about eight times as long, 64 times if it were quadratic; caches, which other processes share, logarithms
/// and noise take the middle ground.
void expect_linear(const Seconds& seconds, const char* what) {
  std::printf("%s: %.3f s of processor time, an eighth of it %.3f s, ratio %.2f\n", what, seconds.all, seconds.eighth,
              seconds.all / seconds.eighth);
  EXPECT_LT(seconds.all, 32 * seconds.eighth) << what;
}

/// Expects that the action reads the file once, and nothing else of that size.
template <class Action>
void expect_one_pass(const std::string& path, const Action& action) {
  const auto before = bytes_read();
  action();
  const auto after = bytes_read();
  if (!before || !after || *before == *after) return;  // a kernel that does not count
  const auto size = static_cast<double>(std::filesystem::file_size(path));
  EXPECT_GE(static_cast<double>(*after - *before), size) << path;
  EXPECT_LE(static_cast<double>(*after - *before), 1.01 * size + 1e5) << path;
}

constexpr int journal_records = 100'000;
const Fingerprint of_large_study{"folds = 5\nseed = 1\n", 0x1234, "0.1.0 abcdef"};

/// Units end in another order than that of their keys: 7919 is prime.
Record record_of_unit(int i) {
  const int unit = static_cast<int>(std::int64_t{7919} * i % journal_records);
  Record record;
  record.key = {1, {unit / 5, unit % 5, 0}};
  record.status = i % 1000 == 7 ? Status::failed : Status::done;
  if (record.status == Status::failed) record.reason = "the fit diverged";
  record.started = 0.25 * i;
  record.seconds = 1.0 / (i + 1);
  record.rank = i % 64;
  record.payload.assign(200, static_cast<std::byte>(i));
  return record;
}

/// Opens the journal, which replays it.
std::vector<Record> replayed(const std::string& path) {
  const Journal journal(path, of_large_study);
  EXPECT_EQ(journal.damage_warning(), "");
  return journal.replayed();
}

TEST(LargeJournal, of_a_hundred_thousand_records_is_replayed_in_linear_time) {
  const test::TemporaryFolder folder;
  const std::string whole = folder / "whole.journal", eighth = folder / "eighth.journal";
  std::uintmax_t part_length = 0;
  {
    Journal journal(whole, of_large_study);
    for (int i = 0; i < journal_records; ++i) {
      if (i == journal_records / 8) part_length = std::filesystem::file_size(whole);
      journal.append(record_of_unit(i));
    }
  }
  std::filesystem::copy_file(whole, eighth);
  std::filesystem::resize_file(eighth, part_length);

  const std::vector<Record> records = replayed(whole);
  ASSERT_EQ(records.size(), static_cast<std::size_t>(journal_records));
  ASSERT_EQ(replayed(eighth).size(), records.size() / 8);
  for (const int i : {0, 1, journal_records / 2, journal_records - 1})
    EXPECT_EQ(to_bytes(records[static_cast<std::size_t>(i)]), to_bytes(record_of_unit(i))) << i;

  const auto open = [](const std::string& path) { return [path] { const Journal journal(path, of_large_study); }; };
  expect_one_pass(eighth, open(eighth));
  expect_one_pass(whole, open(whole));
  expect_linear(seconds_of(5, open(eighth), open(whole)), "replay of a journal of 100,000 records");
}

/// The values that a search of so many units keeps in its result file: five folds for each gamma.
Container study_of(std::size_t units) {
  const std::size_t folds = 5, gammas = units / folds;
  Container content;
  content.attributes["kind"] = std::string("svm");
  std::vector<double> gamma(gammas), error(units), seconds(units), started(units);
  std::vector<std::int32_t> fold(folds), rank(units), status(units);
  std::vector<std::int64_t> iterations(units);
  std::vector<std::string> reason(units);
  std::iota(gamma.begin(), gamma.end(), 1.0);
  std::iota(fold.begin(), fold.end(), 0);
  for (std::size_t u = 0; u < units; ++u) {
    const bool failed = u % 1000 == 7;
    error[u] = failed ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(u % 97) / 97;
    seconds[u] = 1 / static_cast<double>(u + 1);
    started[u] = 0.25 * static_cast<double>(u);
    rank[u] = static_cast<std::int32_t>(u % 64);
    status[u] = static_cast<std::int32_t>(failed ? Status::failed : Status::done);
    iterations[u] = static_cast<std::int64_t>(7919 * u);
    if (failed) reason[u] = "the fit diverged";
  }
  const std::vector<std::uint64_t> shape{gammas, folds};
  const std::vector<std::string> scales{"/gamma", "/fold"};
  const auto add = [&](const char* path, Values values, const char* units_of_it) {
    content.arrays.push_back({path, shape, std::move(values), scales, units_of_it, "of the unit", false});
  };
  content.arrays.push_back({"/gamma", {gammas}, std::move(gamma), {}, "1", "gamma of the kernel", true});
  content.arrays.push_back({"/fold", {folds}, std::move(fold), {}, "1", "held-out fold", true});
  add("/fold_error", std::move(error), "1");
  add("/unit/seconds", std::move(seconds), "s");
  add("/unit/started", std::move(started), "s");
  add("/unit/rank", std::move(rank), "1");
  add("/unit/status", std::move(status), "1");
  add("/unit/reason", std::move(reason), "1");
  add("/fit/iterations", std::move(iterations), "1");
  return content;
}

TEST(LargeResultFile, of_a_million_units_is_read_in_linear_time) {
  constexpr std::size_t units = 1'000'000;
  const test::TemporaryFolder folder;
  const std::string eighth = folder / "eighth.h5", all = folder / "all.h5";
  write_container(eighth, study_of(units / 8));
  const Container written = study_of(units);
  write_container(all, written);
  EXPECT_LT(std::filesystem::file_size(all), 200'000'000u);

  expect_one_pass(all, [&] {
    const Container found = read_container(all);
    for (const char* path : {"/unit/seconds", "/unit/started"})
      EXPECT_TRUE(found.values<double>(path) == written.values<double>(path)) << path;
    for (const char* path : {"/unit/rank", "/unit/status"})
      EXPECT_TRUE(found.values<std::int32_t>(path) == written.values<std::int32_t>(path)) << path;
    EXPECT_TRUE(found.values<std::string>("/unit/reason") == written.values<std::string>("/unit/reason"));
    EXPECT_TRUE(found.values<std::int64_t>("/fit/iterations") == written.values<std::int64_t>("/fit/iterations"));
    EXPECT_EQ(found.at("/fold_error").scales, (std::vector<std::string>{"/gamma", "/fold"}));
  });
  const auto read = [](const std::string& path) { return [path] { read_container(path); }; };
  expect_linear(seconds_of(3, read(eighth), read(all)), "a result file of 1,000,000 units");
}

}  // namespace
}  // namespace krossfold::storage
