// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/error.hpp"

#include <algorithm>
#include <cctype>
#include <new>
#include <string_view>
#include <system_error>

namespace krossfold {
namespace {

std::string message_of(const std::string& problem, const std::string& why, const std::string& suggestion) {
  std::string message = problem;
  if (!why.empty()) message += " (" + why + ")";
  if (!suggestion.empty()) {
    std::string sentence = suggestion;
    sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
    if (std::string(".?!").find(sentence.back()) == std::string::npos) sentence += '.';
    message += (why.empty() ? ". " : " ") + sentence;
  }
  return message;
}

}  // namespace

Error::Error(ExitCode code, const std::string& problem, const std::string& why, const std::string& suggestion)
    : std::runtime_error(message_of(problem, why, suggestion)), code_(code) {}

Error Error::from_message(ExitCode code, const std::string& message) { return Error(code, message); }

void throw_input_error(const std::string& problem, const std::string& why, const std::string& suggestion) {
  throw Error(ExitCode::usage, problem, why, suggestion);
}

void throw_run_error(const std::string& problem, const std::string& why, const std::string& suggestion) {
  throw Error(ExitCode::failed, problem, why, suggestion);
}

void throw_system_error(const std::string& problem, int error_number) {
  throw Error(ExitCode::failed, problem, std::generic_category().message(error_number));
}

void require_success(int error_number, const std::string& problem) {
  if (error_number != 0) throw_system_error(problem, error_number);
}

bool out_of_memory(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
  const std::string_view what = error.what();
  for (const char* words : {"failed to allocate", "cudaErrorMemoryAllocation", "out of memory"}) {
    if (what.find(words) != std::string_view::npos) return true;
  }
  return false;
}

std::string explanation_of(const std::exception& error) {
  std::string what = error.what();
  if (dynamic_cast<const Error*>(&error) != nullptr) return what;
  if (!out_of_memory(error)) {
    while (!what.empty() && std::isspace(static_cast<unsigned char>(what.back())) != 0) what.pop_back();
    std::replace(what.begin(), what.end(), '\n', ' ');  // libraries write several lines
    return what;
  }
  return "memory ran out: more was needed than is free, or than a limit of the shell (ulimit -v) leaves";
}

}  // namespace krossfold
