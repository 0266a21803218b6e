// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "krossfold/core/error.hpp"

namespace krossfold::bench {

/// A unit of the search on 5,000 MNIST samples that docs/scheduling.md describes.
struct RecordedUnit {
  int gamma = 0, fold = 0;
  double seconds = 0;
};

/// Throws an input error if recorded/svm_units.csv cannot be read.
inline std::vector<RecordedUnit> recorded_units() {
  std::ifstream file(KROSSFOLD_RECORDED "/svm_units.csv");
  std::string line;
  std::getline(file, line);
  std::vector<RecordedUnit> units;
  RecordedUnit unit;
  while (std::getline(file, line) &&
         std::sscanf(line.c_str(), "%d,%d,%lf", &unit.gamma, &unit.fold, &unit.seconds) == 3) {
    units.push_back(unit);
  }
  if (units.empty()) throw_input_error("no unit times", KROSSFOLD_RECORDED "/svm_units.csv cannot be read");
  return units;
}

}  // namespace krossfold::bench
