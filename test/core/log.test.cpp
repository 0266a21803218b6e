// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/log.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>

namespace krossfold {
namespace {

// What `act` writes to stderr when stderr is a file.
std::string on_file(const std::function<void()>& act) {
  testing::internal::CaptureStderr();
  act();
  return testing::internal::GetCapturedStderr();
}

// What `act` writes to stderr when stderr is a terminal of 60 columns; for short output only.
std::string on_terminal(const std::function<void()>& act) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return "no terminal";
  const int other_end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  if (other_end < 0) return "no terminal";
  winsize size{};
  size.ws_col = 60;
  size.ws_row = 24;
  ioctl(other_end, TIOCSWINSZ, &size);
  const int stderr_before = dup(STDERR_FILENO);
  dup2(other_end, STDERR_FILENO);
  act();
  dup2(stderr_before, STDERR_FILENO);
  close(stderr_before);
  close(other_end);
  std::string written;
  std::array<char, 4096> buffer;
  for (ssize_t count; (count = read(terminal, buffer.data(), buffer.size())) > 0;) written.append(buffer.data(), count);
  close(terminal);
  return written;
}

void say_all(const Log& log) {
  log.info("i");
  log.detail("d");
  log.warn("w");
}

TEST(Log, verbosity_decides_what_is_said_but_warnings_always_are) {
  EXPECT_EQ(on_file([] { say_all(Log(Verbosity::quiet)); }), "warning: w\n");
  EXPECT_EQ(on_file([] { say_all(Log(Verbosity::normal)); }), "i\nwarning: w\n");
  EXPECT_EQ(on_file([] { say_all(Log(Verbosity::verbose)); }), "i\nd\nwarning: w\n");
}

TEST(Log, other_ranks_are_silent) {
  EXPECT_EQ(on_file([] { say_all(Log(Verbosity::verbose, false)); }), "");
  EXPECT_FALSE(Log(Verbosity::verbose, false).shows_progress());
  EXPECT_FALSE(Log(Verbosity::quiet).shows_progress());
  EXPECT_TRUE(Log().shows_progress());
}

TEST(ProgressText, tells_share_rate_and_time_left) {
  EXPECT_EQ(progress_text("svm search", 37, 120, 0, 37, 83, 17.3),
            "svm search: 37 of 120 units (31 %), 2.1 units/s, 39 s left");
}

TEST(ProgressText, time_left_follows_the_work_not_the_count) {
  EXPECT_EQ(progress_text("x", 50, 100, 0, 90, 10, 9, true), "x: 50 of up to 100 units (50 %), 5.6 units/s, 1 s left");
  EXPECT_EQ(progress_text("x", 50, 100, 0, 90, 10, 9), "x: 50 of 100 units (50 %), 5.6 units/s, 1 s left");
}

TEST(ProgressText, earlier_units_count_as_done_but_not_for_the_rate) {
  EXPECT_EQ(progress_text("x", 60, 100, 50, 10, 40, 10),
            "x: 60 of 100 units (60 %), 50 of them earlier, 1 units/s, 40 s left");
}

TEST(ProgressText, slow_units_have_a_readable_rate) {
  EXPECT_EQ(progress_text("x", 1, 11, 0, 1, 10, 24), "x: 1 of 11 units (9 %), 2.5 units/min, 4 min 00 s left");
  EXPECT_EQ(progress_text("x", 1, 3, 0, 1, 2, 1800), "x: 1 of 3 units (33 %), 2 units/h, 1 h 00 min left");
  EXPECT_EQ(progress_text("x", 500, 1000, 0, 1, 1, 2), "x: 500 of 1000 units (50 %), 250 units/s, 2 s left");
}

TEST(ProgressText, leaves_out_what_cannot_be_known) {
  EXPECT_EQ(progress_text("x", 0, 120, 0, 0, 120, 5), "x: 0 of 120 units (0 %)");
  EXPECT_EQ(progress_text("x", 7, 120, 7, 0, 113, 5), "x: 7 of 120 units (6 %), 7 of them earlier");
  EXPECT_EQ(progress_text("x", 1, 2, 0, 0, 5, 4), "x: 1 of 2 units (50 %), 15 units/min");
  EXPECT_EQ(progress_text("x", 0, 0, 0, 0, 0, 0), "x: 0 of 0 units (100 %)");
}

TEST(ProgressText, says_100_percent_only_at_the_end) {
  EXPECT_EQ(progress_text("x", 1999, 2000, 0, 1999, 1, 1999), "x: 1999 of 2000 units (99 %), 1 units/s, 1 s left");
  EXPECT_EQ(progress_text("x", 2000, 2000, 0, 2000, 0, 1000),
            "x: 2000 of 2000 units (100 %), 2 units/s, 16 min 40 s in all");
}

TEST(Progress, in_a_file_is_a_plain_line_every_ten_seconds_at_most) {
  const std::string written = on_file([] {
    Progress progress(Log(), "x");
    for (int i = 0; i <= 25; ++i) progress.update(i, 25, 0, i, 25 - i, i);
  });
  EXPECT_EQ(written,
            "x: 0 of 25 units (0 %)\n"
            "x: 10 of 25 units (40 %), 1 units/s, 15 s left\n"
            "x: 20 of 25 units (80 %), 1 units/s, 5 s left\n");
}

TEST(Progress, is_silent_when_asked_to_be) {
  EXPECT_EQ(on_file([] { Progress(Log(Verbosity::quiet), "x").update(1, 2, 0, 1, 1, 1); }), "");
  EXPECT_EQ(on_file([] { Progress(Log(Verbosity::normal, false), "x").update(1, 2, 0, 1, 1, 1); }), "");
}

TEST(Progress, on_a_terminal_redraws_one_line_and_ends_it) {
  setenv("TERM", "xterm", 1);
  const std::string written = on_terminal([] {
    const Log log;
    Progress progress(log, "x");
    progress.update(1, 3, 0, 1, 2, 1);
    progress.update(1, 3, 0, 1, 2, 1.01);  // too soon
    log.info("hello");
    progress.update(3, 3, 0, 3, 0, 1.02);  // the end is always shown
  });
  if (written == "no terminal") GTEST_SKIP() << "this system gives no pseudo-terminal";
  EXPECT_EQ(written,
            "\r\033[Kx: 1 of 3 units (33 %), 1 units/s, 2 s left"
            "\r\033[Khello\r\n"
            "\r\033[Kx: 3 of 3 units (100 %), 2.9 units/s, 1 s in all\r\n");
}

TEST(Progress, a_line_never_wraps) {
  setenv("TERM", "xterm", 1);
  const std::string written = on_terminal([] { Progress(Log(), std::string(100, 'x')).update(1, 3, 0, 1, 2, 1); });
  if (written == "no terminal") GTEST_SKIP() << "this system gives no pseudo-terminal";
  EXPECT_EQ(written, "\r\033[K" + std::string(59, 'x') + "\r\n");
}

TEST(Progress, a_dumb_terminal_gets_plain_lines) {
  setenv("TERM", "dumb", 1);
  const std::string written = on_terminal([] { Progress(Log(), "x").update(0, 3, 0, 0, 3, 0); });
  if (written == "no terminal") GTEST_SKIP() << "this system gives no pseudo-terminal";
  EXPECT_EQ(written, "x: 0 of 3 units (0 %)\r\n");
}

}  // namespace
}  // namespace krossfold
