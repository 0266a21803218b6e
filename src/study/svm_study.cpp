// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/svm_study.hpp"

#include <limits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::study {

SvmStudy::SvmStudy(const SvmSearch& search, const Vector<const int>& label)
    : search_(search),
      label_(label),
      fold_error_(search.gamma.size() * search.c.size() * static_cast<std::size_t>(search.folds.folds()),
                  std::numeric_limits<double>::quiet_NaN()) {
  for (const Unit& unit : initial()) waiting_.insert(unit.key);
}

/// Only a first guess, in element operations: measured times correct it gamma by gamma.
double SvmStudy::path_cost(std::size_t cs) const {
  const double n = search_.samples, held = n / search_.folds.folds(), train = n - held;
  return train * train + 2.0 * static_cast<double>(cs) * search_.classes * train * held;
}

std::vector<Unit> SvmStudy::initial() {
  std::vector<Unit> units;
  for (int g = 0; g < static_cast<int>(search_.gamma.size()); ++g) {
    for (int f = 0; f < search_.folds.folds(); ++f) {
      Unit unit;
      unit.key = {svm_unit_fold, {g, f, 0}};
      unit.cost = path_cost(search_.c.size());
      unit.affinity = g;
      units.push_back(unit);
    }
  }
  return units;
}

SvmStudy::Found SvmStudy::read(const Record& record) const {
  Found found{record.status == Status::done, record.reason, {}, {}};
  if (record.key.kind == svm_unit_fold) {
    const int g = record.key.index[0], f = record.key.index[1];
    if (g < 0 || g >= static_cast<int>(search_.gamma.size()) || f < 0 || f >= search_.folds.folds()) {
      throw_run_error(text("a record names the unit (gamma ", g, ", fold ", f, ")"), "the study has no such unit");
    }
    if (!found.done) return found;
    const FoldResult result = FoldResult::from_bytes(record.payload);
    if (result.wrong.size() != search_.c.size() || result.held <= 0) {
      throw_run_error(text("the record of (gamma ", g, ", fold ", f, ") has ", result.wrong.size(), " values of C"),
                      text("the study has ", search_.c.size()));
    }
    for (const int wrong : result.wrong) found.fold_error.push_back(static_cast<double>(wrong) / result.held);
  } else if (record.key.kind == svm_unit_calibrate) {
    const int f = record.key.index[2];
    if (f < 0 || f >= search_.folds.folds()) {
      throw_run_error(text("a record names a calibration of fold ", f), "the study has no such unit");
    }
    if (!found.done) return found;
    found.decision = CalibrationResult::from_bytes(record.payload).decision;
    const std::size_t expected = search_.folds.held[f].size() * static_cast<std::size_t>(search_.problems);
    if (found.decision.size() != expected) {
      throw_run_error(text("the calibration of fold ", f, " has ", found.decision.size(), " decision values"),
                      text("the study has ", expected));
    }
  }
  return found;
}

std::vector<Unit> SvmStudy::on_record(const Record& record) {
  if (found_.contains(record.key)) return {};
  const Found& found = found_.emplace(record.key, read(record)).first->second;
  const std::size_t cs = found.fold_error.size(), folds = search_.folds.held.size();
  for (std::size_t c = 0; c < cs; ++c) {
    const std::size_t g = record.key.index[0], f = record.key.index[1];
    fold_error_[(g * cs + c) * folds + f] = found.fold_error[c];
  }
  waiting_.erase(record.key);
  std::vector<Unit> ready;
  // A record may have come before the stage of its unit.
  while (waiting_.empty() && stage_ != Stage::end) {
    for (Unit& unit : begin_next_stage()) {
      if (!found_.contains(unit.key)) waiting_.insert(unit.key);
      ready.push_back(std::move(unit));
    }
  }
  return ready;
}

std::optional<Cell> SvmStudy::best() const {
  return best_cell(fold_error_, static_cast<int>(search_.gamma.size()), static_cast<int>(search_.c.size()),
                   search_.folds.folds());
}

std::vector<Unit> SvmStudy::begin_next_stage() {
  const auto cell = best();
  if (!cell || !search_.params.refit) {
    stage_ = Stage::end;
    return {};
  }
  if (search_.params.probability && stage_ == Stage::search) {
    stage_ = Stage::calibration;
    return calibration_units(*cell);
  }
  if (stage_ == Stage::calibration) calibrate(*cell);
  stage_ = Stage::end;
  return {refit_unit(*cell)};
}

PathInput SvmStudy::input_of(const Cell& cell) const {
  return {search_.gamma[cell.gamma], {search_.c.begin(), search_.c.begin() + cell.c + 1}, {}};
}

UnitKey SvmStudy::calibration_key(const Cell& cell, int fold) const {
  return {svm_unit_calibrate, {0, cell.gamma * static_cast<int>(search_.c.size()) + cell.c, fold}};
}

std::vector<Unit> SvmStudy::calibration_units(const Cell& cell) const {
  const PathInput input = input_of(cell);
  std::vector<Unit> units;
  for (int f = 0; f < search_.folds.folds(); ++f) {
    Unit unit;
    unit.key = calibration_key(cell, f);
    unit.cost = path_cost(input.c.size());
    unit.affinity = cell.gamma;
    unit.input = input.to_bytes();
    units.push_back(unit);
  }
  return units;
}

void SvmStudy::calibrate(const Cell& cell) {
  std::vector<std::vector<double>> decision;
  for (int f = 0; f < search_.folds.folds(); ++f) {
    const Found& found = found_.at(calibration_key(cell, f));
    if (!found.done) {
      calibration_failed_ = text("fold ", f, ": ", found.reason);
      return;
    }
    decision.push_back(found.decision);
  }
  calibration_ = study::calibrate(search_, label_, decision);
}

Unit SvmStudy::refit_unit(const Cell& cell) const {
  PathInput input = input_of(cell);
  if (calibration_) input.sigmoid = calibration_->sigmoid;
  Unit unit;
  unit.key = {svm_unit_refit, {cell.gamma, cell.c, 0}};
  unit.cost = static_cast<double>(search_.samples) * search_.samples;
  unit.affinity = cell.gamma;
  unit.input = input.to_bytes();
  return unit;
}

}  // namespace krossfold::study
