// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace krossfold {

/// What the process returns; docs/errors.md lists the errors behind each.
enum class ExitCode : int {
  done = 0,     ///< finished, or had already been finished
  failed = 1,   ///< went wrong while running
  usage = 2,    ///< wrong options or input; nothing was touched
  stopped = 75  ///< stopped on purpose; the same command continues (EX_TEMPFAIL)
};

/// The only exception type of Krossfold. what() reads "PROBLEM (WHY) SUGGESTION" and names the file, offset or
/// option it is about; an empty WHY or SUGGESTION is left out. The suggestion becomes a sentence: capital, full stop.
class Error : public std::runtime_error {
public:
  Error(ExitCode code, const std::string& problem, const std::string& why = "", const std::string& suggestion = "");

  /// With a message that is already complete, as when an error arrives from another rank.
  static Error from_message(ExitCode code, const std::string& message);

  ExitCode code() const { return code_; }

private:
  ExitCode code_;
};

/// Throws an Error with ExitCode::usage: the user's options or files are wrong.
[[noreturn]] void throw_input_error(const std::string& problem, const std::string& why = "",
                                    const std::string& suggestion = "");

/// Throws an Error with ExitCode::failed: the machine or the program failed.
[[noreturn]] void throw_run_error(const std::string& problem, const std::string& why = "",
                                  const std::string& suggestion = "");

/// Throws an Error with ExitCode::failed for a failed system call, with strerror(error_number) as the reason.
[[noreturn]] void throw_system_error(const std::string& problem, int error_number);

/// True if memory ran out: std::bad_alloc, or what Kokkos and CUDA throw in its place (a std::runtime_error that says so).
bool out_of_memory(const std::exception& error);

}  // namespace krossfold
