// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "krossfold/core/error.hpp"

namespace krossfold::test {

/// The message of the Error that `action` throws, or "" if it throws none.
inline std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace krossfold::test
