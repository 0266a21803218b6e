// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/study/svm_records.hpp"
#include "krossfold/study/svm_search.hpp"
#include "test/storage/temporary_folder.hpp"

namespace krossfold::test {

/// n samples of d features, whole numbers of 0 to 16, of `classes` classes in turn; each class has its own mean.
inline data::Dataset sample_dataset(int n, int d, int classes, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> noise(0, 2);
  const Matrix<float> raw("krossfold::test::raw", n, d);
  const Vector<int> label("krossfold::test::label", n);
  std::vector<std::string> names;
  for (int c = 0; c < classes; ++c) names.push_back(std::string("class ") + std::to_string(c));
  for (int i = 0; i < n; ++i) {
    label(i) = i % classes;
    for (int j = 0; j < d; ++j) {
      const float mean = j % classes == label(i) ? 12.0F : 4.0F;
      raw(i, j) = std::clamp(std::round(mean + noise(random)), 0.0F, 16.0F);
    }
  }
  return data::make_dataset("sample", raw, label, names);
}

inline data::Task sample_task(int n = 60, int d = 6, int classes = 3) {
  return {sample_dataset(n, d, classes, 1), sample_dataset(n / 2, d, classes, 2)};
}

/// A record of the unit (gamma, fold) with the given counts of wrong samples, one for each C.
inline Record fold_record(int gamma, int fold, int held, std::vector<int> wrong, int classes) {
  study::FoldResult result;
  result.held = held;
  result.fit.resize(wrong.size() * static_cast<std::size_t>(classes));
  result.wrong = std::move(wrong);
  Record record;
  record.key = {study::svm_unit_fold, {gamma, fold, 0}};
  record.status = Status::done;
  record.payload = result.to_bytes();
  return record;
}

/// The refit at a cell of the grid.
inline Unit refit_unit(const study::SvmSearch& search, int gamma, int c, std::vector<svm::Sigmoid> sigmoid = {}) {
  Unit unit{{study::svm_unit_refit, {gamma, c, 0}}};
  const std::vector<double> path(search.c.begin(), search.c.begin() + c + 1);
  unit.input = study::PathInput{search.gamma[gamma], path, std::move(sigmoid)}.to_bytes();
  return unit;
}

}  // namespace krossfold::test
