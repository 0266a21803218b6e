// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "test/source_folder.hpp"

namespace krossfold::test {

/// The lines of a file of test/reference that begin with that word, as their fields.
inline std::vector<std::vector<std::string>> recorded(const std::string& name, const std::string& word) {
  std::vector<std::vector<std::string>> lines;
  std::ifstream file(source_path(KROSSFOLD_REFERENCE_FOLDER, "test/reference") + "/" + name);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::vector<std::string> found;
    for (std::string field; std::getline(fields, field, ',');) found.push_back(field);
    if (found.at(0) == word) lines.push_back(found);
  }
  return lines;
}

}  // namespace krossfold::test
