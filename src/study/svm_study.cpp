// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/svm_study.hpp"

#include <limits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/study/svm_records.hpp"

namespace krossfold::study {

SvmStudy::SvmStudy(const SvmSearch& search)
    : search_(search),
      fold_error_(search.gamma.size() * search.c.size() * static_cast<std::size_t>(search.folds.folds()),
                  std::numeric_limits<double>::quiet_NaN()) {}

std::vector<Unit> SvmStudy::initial() {
  const double n = search_.samples, folds = search_.folds.folds();
  const double held = n / folds, train = n - held;
  std::vector<Unit> units;
  for (int g = 0; g < static_cast<int>(search_.gamma.size()); ++g) {
    for (int f = 0; f < search_.folds.folds(); ++f) {
      Unit unit;
      unit.key = {svm_unit_fold, {g, f, 0}};
      // Only a first guess, in element operations: measured times correct it gamma by gamma.
      unit.cost = train * train + 2.0 * static_cast<double>(search_.c.size()) * search_.classes * train * held;
      unit.affinity = g;
      units.push_back(unit);
    }
  }
  return units;
}

std::vector<Unit> SvmStudy::on_record(const Record& record) {
  if (record.key.kind != svm_unit_fold || !seen_.insert(record.key).second) return {};
  const int gammas = static_cast<int>(search_.gamma.size()), cs = static_cast<int>(search_.c.size());
  const int folds = search_.folds.folds(), g = record.key.index[0], f = record.key.index[1];
  if (g < 0 || g >= gammas || f < 0 || f >= folds) {
    throw_run_error(text("a record names the unit (gamma ", g, ", fold ", f, ")"), "the study has no such unit");
  }
  if (record.status == Status::done) {
    const FoldResult result = FoldResult::from_bytes(record.payload);
    if (static_cast<int>(result.wrong.size()) != cs || result.held <= 0) {
      throw_run_error(text("the record of (gamma ", g, ", fold ", f, ") has ", result.wrong.size(), " values of C"),
                      text("the study has ", cs));
    }
    for (int c = 0; c < cs; ++c) {
      fold_error_[(static_cast<std::size_t>(g) * cs + c) * folds + f] =
          static_cast<double>(result.wrong[c]) / result.held;
    }
  }
  if (!search_.params.refit || static_cast<int>(seen_.size()) < gammas * folds) return {};
  const auto best = best_cell(fold_error_, gammas, cs, folds);
  if (!best) return {};
  Unit refit;
  refit.key = {svm_unit_refit, {best->gamma, best->c, 0}};
  refit.cost = static_cast<double>(search_.samples) * search_.samples;
  refit.affinity = best->gamma;
  return {refit};
}

}  // namespace krossfold::study
