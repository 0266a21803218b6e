// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/error.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

namespace krossfold {
namespace {

template <class Call>
Error thrown_by(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ExitCode::done, "");
}

TEST(Error, reads_problem_why_suggestion) {
  const Error error(ExitCode::usage, "--folds: 9 folds", "there are 5 samples", "use at most 5");
  EXPECT_STREQ(error.what(), "--folds: 9 folds (there are 5 samples) Use at most 5.");
}

TEST(Error, leaves_out_empty_parts) {
  EXPECT_STREQ(Error(ExitCode::usage, "p").what(), "p");
  EXPECT_STREQ(Error(ExitCode::usage, "p", "w").what(), "p (w)");
  EXPECT_STREQ(Error(ExitCode::usage, "p", "", "s").what(), "p. S.");
}

TEST(Error, keeps_a_complete_message_as_it_is) {
  const Error error = Error::from_message(ExitCode::stopped, "a (b) c");
  EXPECT_STREQ(error.what(), "a (b) c");
  EXPECT_EQ(error.code(), ExitCode::stopped);
}

TEST(Error, require_throws_an_input_error_unless_the_condition_holds) {
  EXPECT_NO_THROW(require(true, "p"));
  const Error error = thrown_by([] { require(false, "p", "w", "s"); });
  EXPECT_STREQ(error.what(), "p (w) S.");
  EXPECT_EQ(error.code(), ExitCode::usage);
}

TEST(Error, input_errors_exit_with_2_and_run_errors_with_1) {
  EXPECT_EQ(static_cast<int>(thrown_by([] { throw_input_error("p"); }).code()), 2);
  EXPECT_EQ(static_cast<int>(thrown_by([] { throw_run_error("p"); }).code()), 1);
}

TEST(Error, system_errors_say_why) {
  const Error error = thrown_by([] { throw_system_error("cannot open x.h5", ENOENT); });
  EXPECT_EQ(error.code(), ExitCode::failed);
  EXPECT_EQ(std::string(error.what()), std::string("cannot open x.h5 (") + std::strerror(ENOENT) + ")");
}

}  // namespace
}  // namespace krossfold
