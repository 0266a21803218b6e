// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/output_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "test/storage/temporary_folder.hpp"

namespace {

using namespace krossfold;
using namespace krossfold::storage;
using namespace krossfold::test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

LockOwner process(const std::string& host, const std::string& job = "", const std::string& restart = "") {
  return {host, 41, 1000, "boot-1", {job, restart, ""}, "2026-01-31T12:00:00Z"};
}

/// What a process on "here" knows: no owner's process is alive, and the state of every job is unknown.
LockParams on_here() {
  LockParams params;
  params.self = process("here");
  params.self.pid = 42;
  params.alive = [](std::int64_t, std::uint64_t) { return false; };
  params.state_of_job = [](const std::string&) { return JobState::unknown; };
  return params;
}

/// Leaves the lock file of a process that has ended, as after kill -9.
void leave_owner(const TemporaryFolder& folder, const LockOwner& owner) { put(folder / "r.h5.lock", to_text(owner)); }

std::string refusal(const LockOwner& owner, bool locks_work, const LockParams& params) {
  const LockVerdict verdict = evaluate_owner(owner, locks_work, params);
  EXPECT_FALSE(verdict.may_take);
  return verdict.why + " | " + verdict.suggestion;
}

std::string warning_of_takeover(const LockOwner& owner, bool locks_work, const LockParams& params) {
  const LockVerdict verdict = evaluate_owner(owner, locks_work, params);
  EXPECT_TRUE(verdict.may_take) << verdict.why;
  return verdict.warning;
}

TEST(LockOwner, is_read_back_as_it_was_written) {
  const LockOwner owner = process("node7", "123", "2");
  ASSERT_TRUE(owner_from_text(to_text(owner)).has_value());
  EXPECT_EQ(*owner_from_text(to_text(owner)), owner);
  EXPECT_EQ(owner_from_text("something = else\n" + to_text(owner)), owner);
}

TEST(LockOwner, without_host_or_process_is_none) {
  for (const std::string lines :
       {"", "\n\n", "host = a\n", "pid = 4\n", "host = a\npid = -4\n", "host = a\npid = x\n"}) {
    EXPECT_FALSE(owner_from_text(lines).has_value()) << lines;
  }
}

TEST(LockOwner, of_this_process_is_complete_and_alive) {
  const LockOwner self = this_process();
  EXPECT_EQ(self.pid, ::getpid());
  EXPECT_NE(self.host, "");
  EXPECT_NE(self.boot_id, "");
  EXPECT_GT(self.process_start, 0u);
  EXPECT_TRUE(is_alive(self.pid, self.process_start));
  EXPECT_FALSE(is_alive(self.pid, self.process_start + 1));  // the PID was reused by another process
}

TEST(LockOwner, that_was_killed_is_not_alive) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::uint64_t start = this_process().process_start;
    if (::write(pipe[1], &start, sizeof(start)) != sizeof(start)) ::_exit(1);
    ::pause();
  }
  std::uint64_t start = 0;
  ASSERT_EQ(::read(pipe[0], &start, sizeof(start)), static_cast<ssize_t>(sizeof(start)));
  ::close(pipe[0]);
  ::close(pipe[1]);
  EXPECT_TRUE(is_alive(child, start));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(is_alive(child, start));
}

TEST(EvaluateOwner, on_the_same_host_leaves_it_to_a_lock_that_works) {
  LockParams params = on_here();
  params.alive = [](std::int64_t, std::uint64_t) { return true; };
  EXPECT_EQ(warning_of_takeover(process("here"), true, params), "");
}

TEST(EvaluateOwner, on_the_same_host_without_locks_looks_for_the_process) {
  LockParams params = on_here();
  EXPECT_EQ(warning_of_takeover(process("here"), false, params), "");
  std::int64_t asked_pid = 0;
  std::uint64_t asked_start = 0;
  params.alive = [&](std::int64_t pid, std::uint64_t start) {
    asked_pid = pid, asked_start = start;
    return true;
  };
  for (const bool break_lock : {false, true}) {  // the lock of a live run is never broken
    params.break_lock = break_lock;
    EXPECT_THAT(refusal(process("here"), false, params),
                AllOf(HasSubstr("process 41 on here"), HasSubstr("2026-01-31"), Not(HasSubstr("break-lock"))));
  }
  EXPECT_EQ(asked_pid, 41);
  EXPECT_EQ(asked_start, 1000u);
}

TEST(EvaluateOwner, of_an_earlier_boot_is_gone) {
  LockParams params = on_here();
  params.alive = [](std::int64_t, std::uint64_t) { return true; };
  params.self.boot_id = "boot-2";
  EXPECT_EQ(warning_of_takeover(process("here"), false, params), "");
}

TEST(EvaluateOwner, on_another_host_is_refused_with_what_is_known_of_it_whether_locks_work_or_not) {
  for (const bool locks_work : {false, true}) {
    EXPECT_THAT(refusal(process("there", "77"), locks_work, on_here()),
                AllOf(HasSubstr("process 41 on there"), HasSubstr("job 77"), HasSubstr("since 2026-01-31T12:00:00Z"),
                      HasSubstr("break-lock")));
    EXPECT_THAT(refusal(process("there"), locks_work, on_here()), Not(HasSubstr("job")));
  }
}

TEST(EvaluateOwner, on_another_host_gives_way_to_break_lock_with_a_warning) {
  LockParams params = on_here();
  params.break_lock = true;
  EXPECT_THAT(warning_of_takeover(process("there"), true, params),
              AllOf(HasSubstr("break-lock"), HasSubstr("process 41 on there")));
}

TEST(EvaluateOwner, whose_job_has_ended_gives_way) {
  LockParams params = on_here();
  std::string asked;
  JobState state = JobState::ended;
  params.state_of_job = [&](const std::string& id) {
    asked = id;
    return state;
  };
  EXPECT_THAT(warning_of_takeover(process("there", "77"), true, params), HasSubstr("job that has ended"));
  EXPECT_EQ(asked, "77");
  for (const JobState other : {JobState::active, JobState::unknown}) {
    state = other;
    refusal(process("there", "77"), true, params);
  }
  asked.clear();
  refusal(process("there"), true, params);  // there is no job to query
  EXPECT_EQ(asked, "");
}

TEST(EvaluateOwner, of_a_job_on_another_cluster_is_not_asked_for_here) {
  LockParams params = on_here();
  params.self.job.cluster = "east";
  params.state_of_job = [](const std::string&) { return JobState::ended; };
  LockOwner owner = process("there", "77");
  owner.job.cluster = "west";
  refusal(owner, true, params);
  owner.job.cluster = "east";
  warning_of_takeover(owner, true, params);
  params.self.job.cluster.clear();  // outside a job
  for (const char* here : {"", "west"}) {
    params.find_cluster = [&] { return here; };
    refusal(owner, true, params);
  }
  params.find_cluster = [] { return "east"; };
  warning_of_takeover(owner, true, params);
}

TEST(EvaluateOwner, gives_way_to_its_own_job_requeued_but_not_to_another_step_of_it) {
  LockParams params = on_here();
  params.self.job = {"77", "1", ""};
  params.state_of_job = [](const std::string&) { return JobState::active; };
  EXPECT_THAT(warning_of_takeover(process("there", "77"), true, params), HasSubstr("earlier run of this job"));
  refusal(process("there", "77", "1"), true, params);
  refusal(process("there", "78"), true, params);
}

TEST(OutputLock, names_its_owner_while_it_lives_and_leaves_nothing) {
  const TemporaryFolder folder;
  {
    const OutputLock lock(folder / "r.h5", true, on_here());
    EXPECT_EQ(content_of(folder / "r.h5.lock"), to_text(on_here().self));
    EXPECT_EQ(folder.files(), 1);
    EXPECT_EQ(lock.warning(), "");
  }
  EXPECT_EQ(folder.files(), 0);
}

TEST(OutputLock, left_by_a_killed_run_of_this_host_is_taken_over_silently) {
  for (const bool locks_work : {false, true}) {
    const TemporaryFolder folder;
    leave_owner(folder, process("here"));
    OutputLock lock(folder / "r.h5", locks_work, on_here());
    EXPECT_EQ(lock.warning(), "");
    EXPECT_EQ(content_of(folder / "r.h5.lock"), to_text(on_here().self));
    lock.release();
    EXPECT_EQ(folder.files(), 0);
  }
}

TEST(OutputLock, of_another_host_is_refused_and_left_as_it_is) {
  const TemporaryFolder folder;
  leave_owner(folder, process("there", "77"));
  const std::string message = message_of(ExitCode::usage, [&] { OutputLock(folder / "r.h5", true, on_here()); });
  EXPECT_THAT(message, AllOf(HasSubstr(folder / "r.h5" + " is in use by another run"), HasSubstr("process 41 on there"),
                             HasSubstr("job 77"), HasSubstr("break-lock")));
  EXPECT_EQ(content_of(folder / "r.h5.lock"), to_text(process("there", "77")));
  EXPECT_EQ(folder.files(), 1);
  LockParams breaking = on_here();
  breaking.break_lock = true;
  EXPECT_THAT(OutputLock(folder / "r.h5", true, breaking).warning(), HasSubstr("taken over with break-lock"));
}

TEST(OutputLock, that_names_nobody_needs_break_lock) {
  const TemporaryFolder folder;
  for (const std::string content : {"", "host = \n", "\xff\xfe"}) {
    put(folder / "r.h5.lock", content);
    EXPECT_THAT(message_of(ExitCode::usage, [&] { OutputLock(folder / "r.h5", true, on_here()); }),
                AllOf(HasSubstr("r.h5.lock"), HasSubstr("break-lock")));
    EXPECT_EQ(content_of(folder / "r.h5.lock"), content);
    LockParams breaking = on_here();
    breaking.break_lock = true;
    EXPECT_THAT(OutputLock(folder / "r.h5", true, breaking).warning(), HasSubstr("unknown run"));
  }
}

TEST(OutputLock, without_locks_keeps_a_second_process_out) {
  const TemporaryFolder folder;
  const OutputLock first(folder / "r.h5", false);
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      const OutputLock second(folder / "r.h5", false);
    } catch (const Error& error) {
      ::_exit(static_cast<int>(error.code()));
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(ExitCode::usage));
  ASSERT_TRUE(owner_from_text(content_of(folder / "r.h5.lock")).has_value());
  EXPECT_EQ(owner_from_text(content_of(folder / "r.h5.lock"))->pid, ::getpid());
}

TEST(OutputLock, taken_over_by_another_run_is_not_deleted_by_the_first) {
  const TemporaryFolder folder;
  std::optional<OutputLock> first(std::in_place, folder / "r.h5", true, on_here());
  leave_owner(folder, process("there"));
  first->release();
  first.reset();
  EXPECT_EQ(content_of(folder / "r.h5.lock"), to_text(process("there")));
}

TEST(OutputLock, that_is_a_link_is_refused_and_what_it_leads_to_left_alone) {
  const TemporaryFolder folder;
  put(folder / "other", to_text(process("here")));  // whose process has ended
  std::filesystem::create_symlink("other", folder / "r.h5.lock");
  for (const bool break_lock : {false, true}) {
    LockParams params = on_here();
    params.break_lock = break_lock;
    EXPECT_THAT(
        message_of(ExitCode::usage, [&] { OutputLock(folder / "r.h5", true, params); }),
        AllOf(HasSubstr(folder / "r.h5.lock"), HasSubstr("it is a symbolic link"), HasSubstr("Delete the link")));
  }
  message_of(ExitCode::usage, [&] { owner_of(folder / "r.h5"); });
  EXPECT_EQ(content_of(folder / "other"), to_text(process("here")));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "r.h5.lock"));
  EXPECT_EQ(folder.files(), 2);
}

TEST(OutputLock, that_became_a_link_is_not_deleted) {
  const TemporaryFolder folder;
  OutputLock lock(folder / "r.h5", true, on_here());
  std::filesystem::rename(folder / "r.h5.lock", folder / "other");
  std::filesystem::create_symlink("other", folder / "r.h5.lock");
  lock.release();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "r.h5.lock"));
  EXPECT_EQ(folder.files(), 2);
}

TEST(OutputLock, lies_beside_the_result) { EXPECT_EQ(lock_path("out/FILE.h5"), "out/FILE.h5.lock"); }

}  // namespace
