// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "test/source_folder.hpp"

namespace krossfold::test {

/// The files of test/nn/recorded, sorted by name.
inline std::vector<std::string> curve_files() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(source_path(KROSSFOLD_RECORDED_CURVES, "test/nn/recorded")))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// The test name for one of these files.
inline std::string curve_test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(0, info.param.size() - 4);
  std::replace(name.begin(), name.end(), '.', 'p');
  return name;
}

}  // namespace krossfold::test
