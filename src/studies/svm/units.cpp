// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/units.hpp"

#include <algorithm>
#include <limits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::studies {

namespace {

SearchRound make_round(std::vector<double> c, std::vector<double> gamma, int folds) {
  const std::size_t cells = c.size() * gamma.size() * static_cast<std::size_t>(folds);
  return {std::move(c), std::move(gamma), std::vector<double>(cells, std::numeric_limits<double>::quiet_NaN())};
}

}  // namespace

SvmStudy::SvmStudy(const SvmLayout& search, const Vector<const int>& label)
    : search_(search),
      label_(label),
      stages_(svm_stages(search.params.refine, search.params.probability, search.params.refit)),
      units_{search.samples, search.folds.folds(), search.classes, {search.gamma}},
      rounds_{make_round(search.c, search.gamma, search.folds.folds())} {
  for (const Unit& unit : units_.search(0, search.c.size())) waiting_.insert(unit.key);
}

std::vector<Unit> SvmStudy::initial() { return units_.search(0, search_.c.size()); }

SvmStudy::Path SvmStudy::path_of(const UnitKey& key) {
  if (key.kind == svm_unit_fold) return {0, key.index[0], key.index[1]};
  return {key.index[0], key.index[1], key.index[2]};
}

void SvmStudy::read_fold(Found& found, const Record& record) const {
  const auto [round, g, f] = path_of(record.key);
  const bool coarse = record.key.kind == svm_unit_fold;
  const int gammas = coarse ? search_.params.grid_gamma : refined_count(search_.params.grid_gamma);
  const int cs = coarse ? search_.params.grid_c : refined_count(search_.params.grid_c);
  const std::string unit = text(coarse ? "" : text("round ", round, ", "), "gamma ", g, ", fold ", f);
  if ((!coarse && (round < 1 || round > search_.params.refine)) || g < 0 || g >= gammas || f < 0 ||
      f >= search_.folds.folds()) {
    throw_run_error(text("a record names the unit (", unit, ")"), "the study has no such unit");
  }
  if (!found.done) return;
  const FoldResult result = FoldResult::from_bytes(record.payload);
  if (static_cast<int>(result.wrong.size()) != cs || result.held <= 0) {
    throw_run_error(text("the record of (", unit, ") has ", result.wrong.size(), " values of C"),
                    text("the study has ", cs));
  }
  for (const int wrong : result.wrong) found.fold_error.push_back(static_cast<double>(wrong) / result.held);
}

SvmStudy::Found SvmStudy::read(const Record& record) const {
  Found found{record.status == Status::done, record.reason, {}, {}};
  if (is_search(record.key)) read_fold(found, record);
  if (record.key.kind == svm_unit_calibrate) {
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

/// Puts the errors of a unit of a search into its round, if that has begun.
void SvmStudy::place(const UnitKey& key, const Found& found) {
  const auto [round, g, f] = path_of(key);
  if (!is_search(key) || round >= static_cast<int>(rounds_.size())) return;
  const std::size_t cs = found.fold_error.size(), folds = search_.folds.held.size();
  for (std::size_t c = 0; c < cs; ++c) {
    rounds_[round].fold_error[(static_cast<std::size_t>(g) * cs + c) * folds + f] = found.fold_error[c];
  }
}

std::vector<Unit> SvmStudy::on_record(const Record& record) {
  if (found_.contains(record.key)) return {};
  place(record.key, found_.emplace(record.key, read(record)).first->second);
  waiting_.erase(record.key);
  std::vector<Unit> ready;
  while (waiting_.empty() && stage_ < stages_.size()) {
    for (Unit& unit : begin_next_stage()) {
      // Its record may have come before this stage.
      const auto found = found_.find(unit.key);
      if (found == found_.end()) {
        waiting_.insert(unit.key);
      } else {
        place(unit.key, found->second);
      }
      ready.push_back(std::move(unit));
    }
  }
  return ready;
}

std::optional<Cell> SvmStudy::best() const {
  std::optional<Cell> best;
  for (std::size_t r = 0; r < rounds_.size(); ++r) {
    const SearchRound& round = rounds_[r];
    auto cell = best_cell(round.fold_error, static_cast<int>(round.gamma.size()), static_cast<int>(round.c.size()),
                          search_.folds.folds());
    if (!cell || (best && !(cell->error < best->error))) continue;
    cell->round = static_cast<int>(r);
    best = cell;
  }
  return best;
}

std::vector<Unit> SvmStudy::begin_next_stage() {
  const auto cell = best();
  stage_ = cell ? stage_ + 1 : stages_.size();
  if (stage_ == stages_.size()) return {};
  switch (stages_[stage_].unit) {
    case svm_unit_refine:
      begin_round(*cell);
      return search_units();
    case svm_unit_calibrate:
      return calibration_units(*cell);
    default:
      if (search_.params.probability) calibrate(*cell);
      return {refit_unit(*cell)};
  }
}

void SvmStudy::begin_round(const Cell& centre) {
  const int round = static_cast<int>(rounds_.size());
  const SvmParams& params = search_.params;
  const SearchRound& before = rounds_[centre.round];
  rounds_.push_back(make_round(refined_axis(params.log10_c, params.grid_c, before.c[centre.c], round),
                               refined_axis(search_.log10_gamma, params.grid_gamma, before.gamma[centre.gamma], round),
                               search_.folds.folds()));
  units_.gamma.push_back(rounds_.back().gamma);
}

/// The units of the latest round of refinement.
std::vector<Unit> SvmStudy::search_units() const {
  const SearchRound& last = rounds_.back();
  std::vector<Unit> units = units_.search(static_cast<int>(rounds_.size()) - 1, last.c.size());
  for (Unit& unit : units) unit.input = PathInput{last.gamma[unit.key.index[1]], last.c, {}}.to_bytes();
  return units;
}

PathInput SvmStudy::input_of(const Cell& cell) const {
  const SearchRound& round = rounds_[cell.round];
  return {round.gamma[cell.gamma], {round.c.begin(), round.c.begin() + cell.c + 1}, {}};
}

std::vector<Unit> SvmStudy::calibration_units(const Cell& cell) const {
  std::vector<Unit> units = units_.calibration(cell, rounds_[cell.round].c.size());
  for (Unit& unit : units) unit.input = input_of(cell).to_bytes();
  return units;
}

void SvmStudy::calibrate(const Cell& cell) {
  std::vector<std::vector<double>> decision;
  for (const Unit& unit : units_.calibration(cell, rounds_[cell.round].c.size())) {
    const Found& found = found_.at(unit.key);
    if (!found.done) {
      calibration_failed_ = text("fold ", unit.key.index[2], ": ", found.reason);
      return;
    }
    decision.push_back(found.decision);
  }
  calibration_ = studies::calibrate(search_, label_, decision);
}

Unit SvmStudy::refit_unit(const Cell& cell) const {
  PathInput input = input_of(cell);
  if (calibration_) input.sigmoid = calibration_->sigmoid;
  Unit unit = units_.refit(cell);
  unit.input = input.to_bytes();
  return unit;
}

}  // namespace krossfold::studies
