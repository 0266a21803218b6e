// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The tables that record_tables.py writes, and their values, read independently of the readers under test.

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "test/data/sample_files.hpp"
#include "test/source_folder.hpp"

namespace krossfold::test {

inline std::string own_table(const std::string& name) {
  return source_path(KROSSFOLD_OWN_DATA, "test/own_data") + "/" + name;
}

/// The numbers of a text file, line by line.
inline std::vector<std::vector<double>> numbers_in(const std::string& name) {
  std::ifstream in(own_table(name));
  std::vector<std::vector<double>> lines;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    auto& numbers = lines.emplace_back();
    for (double number = 0; words >> number;) numbers.push_back(number);
  }
  return lines;
}

/// The data set of flowers.txt with these names of classes.
inline data::Dataset flowers(const std::vector<std::string>& classes = {"setosa", "versicolor", "virginica"}) {
  std::vector<std::vector<float>> rows;
  std::vector<int> label;
  for (const auto& line : numbers_in("flowers.txt")) {
    rows.emplace_back(line.begin(), line.end() - 1);
    label.push_back(static_cast<int>(line.back()));
  }
  return data::make_dataset("flowers", matrix(rows), labels(label), classes);
}

}  // namespace krossfold::test
