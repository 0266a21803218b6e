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

/// The record of an out-of-fold unit, with decision values that tell the classes apart but for some noise.
inline Record decided(const studies::SvmLayout& search, const UnitKey& key, std::mt19937& random) {
  std::normal_distribution<double> noise(0, 1);
  studies::OutOfFoldResult result;
  for (int p = 0; p < search.problems; ++p) {
    for (const int i : search.folds.held[key.index[2]]) {
      result.decision.push_back((labels()(i) == p ? 1 : -1) + noise(random));
    }
  }
  Record record;
  record.key = key;
  record.status = Status::done;
  record.payload = result.to_bytes();
  return record;
}

inline Record failed(Record record) {
  record.status = Status::failed;
  record.reason = "on purpose";
  record.payload.clear();
  return record;
}

}  // namespace krossfold::test
