// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "krossfold/core/error.hpp"

namespace krossfold::test {

/// Expects that every beginning of `bytes`, and `bytes` with one more, are refused with a run error that names `what`.
template <class Read>
void expect_only_the_whole_is_read(const std::vector<std::byte>& bytes, const std::string& what, const Read& read) {
  for (std::size_t length = 0; length <= bytes.size() + 1; ++length) {
    if (length == bytes.size()) continue;
    // A separate allocation lets a sanitizer detect a read one byte past the end.
    std::vector<std::byte> part(bytes.begin(), bytes.begin() + std::min(length, bytes.size()));
    part.resize(length);
    try {
      read(std::span<const std::byte>(part));
      ADD_FAILURE() << length << " of " << bytes.size() << " bytes were read";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::failed) << length << " bytes: " << error.what();
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << length << " bytes: " << error.what();
    }
  }
}

}  // namespace krossfold::test
