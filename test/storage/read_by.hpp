// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krossfold/storage/reader_process.hpp"

namespace krossfold::test {

/// Reads HDF5 files by a process that runs the test of that name in this program, "SUITE.NAME", until the end of the scope.
class ReadBy {
public:
  explicit ReadBy(const std::string& test) {
    storage::set_reader_command({"/proc/self/exe", "--gtest_filter=" + test, "--gtest_also_run_disabled_tests"});
  }
  ~ReadBy() { storage::set_reader_command({}); }
  ReadBy(const ReadBy&) = delete;
  ReadBy& operator=(const ReadBy&) = delete;
};

}  // namespace krossfold::test
