// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Result files of small searches, and what is asked of their reports.

#include <algorithm>
#include <string>
#include <vector>

#include "krossfold/studies/svm/report.hpp"
#include "krossfold/studies/svm/result.hpp"
#include "krossfold/studies/svm/schema.hpp"
#include "test/studies/svm/sample_study.hpp"

namespace krossfold::studies::test_report {

using test::fold_record;

inline const SvmSchema& field = svm_schema();

inline constexpr int gammas = 3, cs = 4, folds = 2, classes = 3;
/// A study of 3 gammas, 4 Cs and 2 folds, in which (gamma 1, C `best_c`) is the best and gamma 2 has one fold only.
inline storage::Container sample_result(int best_c, const Record& last = {}, std::vector<Record> refined = {}) {
  const data::Task task = test::sample_task(60, 6, classes);
  SvmParams params;
  params.grid_c = cs;
  params.grid_gamma = gammas;
  params.folds = folds;
  std::vector<Record> records;
  for (int g = 0; g < gammas; ++g) {
    for (int f = 0; f < folds; ++f) {
      std::vector<int> wrong(cs, 9 - g + f);
      if (g == 1) wrong[best_c] = f;
      if (g < 2 || f == 0) records.push_back(fold_record(g, f, 30, wrong, classes));
    }
  }
  if (last.status != Status::missing) records.push_back(last);
  records.insert(records.end(), refined.begin(), refined.end());
  params.refine = refined.empty() ? 0 : 1;
  run::RunFacts facts;
  facts.status = "finished";
  facts.ranks = 2;
  facts.seconds = 10;
  for (Record& record : records) record.seconds = 3;
  return test::svm_result(lay_out_svm(params, task), task, records, facts);
}

inline SvmReport make_report(const storage::Container& content, const std::string& name) {
  return SvmReport({name, content});
}

inline std::string text_of(const storage::Container& content, const std::string& name = "r.h5") {
  return to_text(svm_document({name, content}));
}

inline int warnings_with(const SvmReport& report, const std::string& words) {
  return static_cast<int>(
      std::count_if(report.warnings.begin(), report.warnings.end(),
                    [&](const std::string& warning) { return warning.find(words) != std::string::npos; }));
}

}  // namespace krossfold::studies::test_report
