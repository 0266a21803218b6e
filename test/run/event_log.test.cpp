// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/event_log.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>
#include <thread>

#include "krossfold/core/provenance.hpp"
#include "krossfold/storage/posix_file.hpp"
#include "test/storage/temporary_folder.hpp"

namespace krossfold::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const UnitKey key{2, {3, -1, 5}};

/// The lines of the log, with T for the time.
std::vector<std::string> lines_of(const std::string& path) {
  const std::regex time("\"time\":\"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z\"");
  std::istringstream in(test::content_of(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(std::regex_replace(line, time, "T"));
  return lines;
}

Record record_of(Status status, const std::string& reason = "") {
  Record record;
  record.key = key;
  record.status = status;
  record.reason = reason;
  record.started = 0.5;
  record.seconds = 2;
  record.rank = 7;
  return record;
}

TEST(EventLog, has_a_line_of_json_for_each_event) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "log";
  RunFacts facts;
  facts.command_line = "krossfold \"svm\"";
  facts.formation = "1x2xserial";
  facts.ranks = 2;
  EventLog log(path);
  log.begin("svm", "r.h5", R"({"folds":{"value":"5","default":true}})", facts, 4);
  log.epoch(key, {.epoch = 3, .loss = 0.25, .held_out_error = 0.5, .seconds = 1.5});
  log.unit(record_of(Status::failed, "out of\nmemory"));
  facts.status = "stopped";
  facts.seconds = 12;
  facts.utilisation = 0.75;
  log.end(facts);
  EXPECT_EQ(log.failure(), "");
  EXPECT_THAT(
      lines_of(path),
      ElementsAre(
          R"({"event":"begin",T,"kind":"svm","version":")" + build_info().version +
              R"(","output":"r.h5","command_line":"krossfold \"svm\"",)"
              R"("config":{"folds":{"value":"5","default":true}},"formation":"1x2xserial","ranks":2,)"
              R"("units_before":4})",
          R"({"event":"epoch",T,"unit":{"kind":2,"index":[3,-1,5]},"epoch":3,"loss":0.25,"held_out_loss":null,)"
          R"("held_out_error":0.5,"validation_loss":null,"validation_error":null,"seconds":1.5,"comm_seconds":null})",
          R"({"event":"unit",T,"unit":{"kind":2,"index":[3,-1,5]},"status":"failed","reason":"out of\nmemory",)"
          R"("started":0.5,"seconds":2.0,"rank":7})",
          R"({"event":"end",T,"status":"stopped","seconds":12.0,"utilisation":0.75})"));
}

TEST(EventLog, has_null_for_times_that_are_none) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "log";
  EventLog log(path);
  Record record = record_of(Status::missing);
  record.started = std::numeric_limits<double>::quiet_NaN();
  record.seconds = std::numeric_limits<double>::infinity();
  log.unit(record);
  EXPECT_THAT(lines_of(path),
              ElementsAre(HasSubstr(R"("status":"missing","reason":"","started":null,"seconds":null)")));
}

TEST(EventLog, adds_to_what_is_there) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "log";
  EventLog(path).begin("svm", "a.h5", "{}", {}, 0);
  for (int run = 0; run < 2; ++run) EventLog(path).unit(record_of(Status::done));
  const auto lines = lines_of(path);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], HasSubstr(R"("event":"begin")"));
  EXPECT_THAT(lines[2], HasSubstr(R"("status":"done")"));
}

TEST(EventLog, refuses_a_file_that_is_not_a_log_and_leaves_it_as_it_was) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "data.csv";
  for (const std::string content :
       {"1,2,3\n", "\n", "{\"event\": \"begin\"}\n", "{\"event\":\"other\",\"time\":\"\"}\n"}) {
    test::put(path, content);
    EXPECT_THAT(test::message_of(ExitCode::usage, [&] { EventLog{path}; }),
                testing::AllOf(HasSubstr(path), HasSubstr("is not an event log")));
    EXPECT_EQ(test::content_of(path), content);
  }
  test::put(path, "");
  EXPECT_NO_THROW(EventLog{path}) << "nothing is lost";
}

TEST(EventLog, that_the_user_made_a_link_is_written_to_what_it_leads_to) {
  const test::TemporaryFolder folder;
  std::filesystem::create_symlink("log", folder / "link");
  for (int run = 0; run < 2; ++run) EventLog(folder / "link").unit(record_of(Status::done));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(lines_of(folder / "log").size(), 2u);
}

TEST(EventLog, may_be_a_pipe_or_a_device_or_a_link_to_one) {
  const test::TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const storage::FileDescriptor reader(::open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK));
  ASSERT_GE(reader.get(), 0);
  std::filesystem::create_symlink("pipe", folder / "link");
  std::filesystem::create_symlink("/dev/null", folder / "null");
  for (const std::string& path : {folder / "pipe", folder / "link"}) {
    EventLog log(path);
    log.unit(record_of(Status::done));
    EXPECT_EQ(log.failure(), "");
    std::string line(1000, '\0');
    line.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(reader.get(), line.data(), line.size()))));
    EXPECT_THAT(line, testing::AllOf(HasSubstr(R"("event":"unit")"), testing::EndsWith("}\n"))) << path;
  }
  for (const std::string& path : {std::string("/dev/null"), folder / "null"}) {
    EventLog log(path);
    log.unit(record_of(Status::done));
    EXPECT_EQ(log.failure(), "") << path;
  }
}

TEST(EventLog, has_the_permissions_that_the_umask_leaves_and_keeps_those_that_it_has) {
  const test::TemporaryFolder folder;
  for (const auto& [mask, expected] : {std::pair{0022U, 0644U}, {0077U, 0600U}}) {
    const test::Umask umask(mask);
    const std::string path = folder / std::to_string(mask);
    EventLog(path).unit(record_of(Status::done));
    EXPECT_EQ(test::permissions_of(path), expected) << "umask " << mask;
    std::filesystem::permissions(path, std::filesystem::perms(0640));
    EventLog(path).unit(record_of(Status::done));
    EXPECT_EQ(test::permissions_of(path), 0640U) << "umask " << mask;
  }
}

TEST(EventLog, replaces_what_is_no_utf8) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "log";
  EventLog(path).begin("svm", "\xFF.h5", "{}", {}, 0);
  EXPECT_THAT(lines_of(path), ElementsAre(HasSubstr("\"output\":\"\xEF\xBF\xBD.h5\"")));
}

TEST(EventLog, of_several_threads_has_whole_lines) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "log";
  {
    EventLog log(path);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int k = 0; k < 50; ++k) log.unit(record_of(Status::done));
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  const auto lines = lines_of(path);
  EXPECT_EQ(lines.size(), 200u);
  EXPECT_THAT(lines, testing::Each(lines.front()));
}

TEST(EventLog, that_cannot_be_opened_is_an_input_error_that_names_it) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(test::message_of(ExitCode::usage, [&] { EventLog(folder / "none/log"); }),
              testing::AllOf(HasSubstr("cannot write json-log"), HasSubstr("none/log"), HasSubstr("No such file")));
}

TEST(EventLog, that_cannot_be_written_says_why_and_does_not_throw) {
  const test::TemporaryFolder folder;
  EventLog log(folder / "log");
  log.unit(record_of(Status::done));
  EXPECT_EQ(log.failure(), "");
  const test::FileSizeLimit limit(test::content_of(folder / "log").size());
  log.unit(record_of(Status::done));
  EXPECT_THAT(log.failure(), HasSubstr("File too large"));
}

TEST(EventLog, goes_on_below_a_line_that_was_cut_off) {
  const test::TemporaryFolder folder;
  EventLog(folder / "log").unit(record_of(Status::done));
  const std::string whole = test::content_of(folder / "log");
  test::put(folder / "log", whole + whole.substr(0, 20));
  EventLog(folder / "log").unit(record_of(Status::done));
  const std::string now = test::content_of(folder / "log");
  EXPECT_TRUE(now.starts_with(whole + whole.substr(0, 20) + "\n{"));
  EXPECT_TRUE(now.ends_with("}\n"));
}

TEST(EventLog, a_line_that_was_cut_off_is_a_failure) {
  const test::TemporaryFolder folder;
  EventLog log(folder / "log");
  const test::FileSizeLimit limit(10);
  log.unit(record_of(Status::done));
  log.unit(record_of(Status::done));
  EXPECT_THAT(log.failure(), HasSubstr("File too large"));
  EXPECT_EQ(test::content_of(folder / "log").size(), 10u) << "what follows half a line would not stand alone";
}

}  // namespace
}  // namespace krossfold::run
