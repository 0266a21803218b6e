// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace krossfold {

/// Exit status of the process; docs/errors.md lists the errors behind each.
enum class ExitCode : int {
  done = 0,     ///< finished now or earlier
  failed = 1,   ///< failed while running
  usage = 2,    ///< invalid options or input; nothing was touched
  stopped = 75  ///< stopped on purpose (EX_TEMPFAIL); rerunning the same command continues
};

/// The only exception type Krossfold throws. what() reads "PROBLEM (WHY) SUGGESTION" and names the file, offset or
/// option concerned. An empty WHY or SUGGESTION is omitted; SUGGESTION is capitalised and gets a full stop.
class Error : public std::runtime_error {
public:
  Error(ExitCode code, const std::string& problem, const std::string& why = "", const std::string& suggestion = "");

  /// Wraps a message that is already complete, such as an error received from another rank.
  static Error from_message(ExitCode code, const std::string& message);

  ExitCode code() const { return code_; }

private:
  ExitCode code_;
};

/// Throws an Error with ExitCode::usage: the user's options or files are invalid.
[[noreturn]] void throw_input_error(const std::string& problem, const std::string& why = "",
                                    const std::string& suggestion = "");

/// Throws an input error unless `condition` holds.
inline void require(bool condition, const std::string& problem, const std::string& why = "",
                    const std::string& suggestion = "") {
  if (!condition) throw_input_error(problem, why, suggestion);
}

/// Throws an Error with ExitCode::failed: the machine or the program failed.
[[noreturn]] void throw_run_error(const std::string& problem, const std::string& why = "",
                                  const std::string& suggestion = "");

/// Throws an Error with ExitCode::failed for a failed system call, with strerror(error_number) as the reason.
[[noreturn]] void throw_system_error(const std::string& problem, int error_number);

/// Throws that error unless `error_number` is 0.
void require_success(int error_number, const std::string& problem);

/// True if `error` reports exhausted memory: std::bad_alloc, or the std::runtime_error Kokkos and CUDA throw instead.
bool out_of_memory(const std::exception& error);

/// error.what() in one line; instead of what a library says where memory ran out, that it did.
std::string explanation_of(const std::exception& error);

/// Returns action(). Throws a run error "PROBLEM (it needs more memory than is free)" instead of what says that memory ran out.
template <class Action>
auto naming_memory(const std::string& problem, const Action& action) {
  try {
    return action();
  } catch (const std::exception& error) {
    if (!out_of_memory(error)) throw;
    throw_run_error(problem, "it needs more memory than is free, or than a limit of the shell (ulimit -v) leaves");
  }
}

}  // namespace krossfold
