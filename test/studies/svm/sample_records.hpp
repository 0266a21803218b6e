// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Records of an SVM study of 4 gammas, 3 values of C, 5 folds and 3 classes.

#include <random>

#include "test/studies/svm/sample_study.hpp"

namespace krossfold::test {

inline constexpr int gammas = 4, cs = 3, folds = 5, classes = 3;

inline studies::SvmParams sample_params() {
  studies::SvmParams params;
  params.grid_c = cs;
  params.grid_gamma = gammas;
  params.folds = folds;
  return params;
}

inline Vector<const int> labels() { return sample_task(60, 6, classes).train.label; }

/// One record for every unit, with random counts of errors.
inline std::vector<Record> random_records(std::mt19937& random) {
  std::vector<Record> records;
  std::uniform_int_distribution<int> wrong(0, 12);
  for (int g = 0; g < gammas; ++g) {
    for (int f = 0; f < folds; ++f) {
      std::vector<int> counts(cs);
      for (int& count : counts) count = wrong(random);
      records.push_back(fold_record(g, f, 12, counts, classes));
    }
  }
  return records;
}

inline Record failed(Record record) {
  record.status = Status::failed;
  record.reason = "on purpose";
  record.payload.clear();
  return record;
}

}  // namespace krossfold::test
