// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/run/attributes.hpp"
#include "krossfold/studies/svm/layout.hpp"
#include "krossfold/studies/svm/payload.hpp"
#include "krossfold/studies/svm/result.hpp"
#include "test/data/sample_dataset.hpp"
#include "test/storage/temporary_folder.hpp"

namespace krossfold::test {

inline data::Task sample_task(int n = 60, int d = 6, int classes = 3) {
  return {sample_dataset(n, d, classes, 1), sample_dataset(n / 2, d, classes, 2)};
}

/// A record of the unit (gamma, fold) with the given counts of wrong samples, one for each C.
inline Record fold_record(int gamma, int fold, int held, std::vector<int> wrong, int classes) {
  studies::FoldResult result;
  result.held = held;
  result.fit.resize(wrong.size() * static_cast<std::size_t>(classes));
  result.wrong = std::move(wrong);
  Record record;
  record.key = {studies::svm_unit_fold, {gamma, fold, 0}};
  record.status = Status::done;
  record.payload = result.to_bytes();
  return record;
}

/// The refit at a cell of the grid.
inline Unit refit_unit(const studies::SvmLayout& search, int gamma, int c, std::vector<svm::Sigmoid> sigmoid = {}) {
  Unit unit{{studies::svm_unit_refit, {gamma, c, 0}}};
  const std::vector<double> path(search.c.begin(), search.c.begin() + c + 1);
  unit.input = studies::PathInput{search.gamma[gamma], path, std::move(sigmoid)}.to_bytes();
  return unit;
}

/// The result file of a search with these records.
inline storage::Container svm_result(const studies::SvmLayout& search, const data::Task& task,
                                     const std::vector<Record>& records, const run::RunFacts& facts) {
  const studies::SvmParams& params = search.params;
  storage::Container content;
  run::add_run_attributes(content, "svm", {options_of(params), params.seed, params.fold_kind, task}, facts);
  studies::SvmStudy study(search, task.train.label);
  write_svm_result(search, task, records, study, content);
  return content;
}

}  // namespace krossfold::test
