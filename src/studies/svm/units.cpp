// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/units.hpp"

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/run/unit_table.hpp"
#include "krossfold/studies/svm/cell_measures.hpp"

namespace krossfold::studies {

namespace {

SearchRound make_round(std::vector<double> c, std::vector<double> gamma, int folds) {
  const std::size_t cells = c.size() * gamma.size() * static_cast<std::size_t>(folds);
  const std::vector<double> none(cells, run::not_computed);
  return {std::move(c), std::move(gamma), none, none};
}

bool is_search(const UnitKey& key) { return key.kind == svm_unit_fold || key.kind == svm_unit_refine; }

/// The place of a unit of a search.
struct Path {
  int round, gamma, fold;
};

Path path_of(const UnitKey& key) {
  if (key.kind == svm_unit_fold) return {0, key.index[0], key.index[1]};
  return {key.index[0], key.index[1], key.index[2]};
}

/// The mean over the folds at a cell.
double mean_at(const std::vector<double>& value, int cell, int folds) {
  double sum = 0;
  for (int f = 0; f < folds; ++f) sum += value[static_cast<std::size_t>(cell) * folds + f];
  return sum / folds;
}

std::optional<Cell> best_cell(const SearchRound& round, const measures::SelectionRule& rule, int folds) {
  const int cs = static_cast<int>(round.c.size()), gammas = static_cast<int>(round.gamma.size());
  const auto choice = choose_cell(round.selected, gammas, cs, folds, rule.measure->better);
  if (!choice) return std::nullopt;
  const int cell = rule.cell(*choice);
  return Cell{.gamma = cell / cs,
              .c = cell % cs,
              .error = mean_at(round.fold_error, cell, folds),
              .value = mean_at(round.selected, cell, folds)};
}

}  // namespace

SvmStudy::SvmStudy(const SvmLayout& search, const Vector<const int>& label)
    : search_(search),
      label_(label),
      stages_(svm_stages(search.params.refine, search.params.refit)),
      units_{search.samples, search.folds.folds(), search.classes, {search.gamma}},
      rounds_{make_round(search.c, search.gamma, search.folds.folds())} {
  for (const Unit& unit : units_.search(0, search.c.size())) waiting_.insert(unit.key);
}

std::vector<Unit> SvmStudy::initial() { return units_.search(0, search_.c.size()); }

void SvmStudy::read_fold(const Record& record, Found& found) const {
  const auto [round, g, f] = path_of(record.key);
  const bool grid = record.key.kind == svm_unit_fold;
  const int gammas = grid ? search_.params.grid_gamma : refined_count(search_.params.grid_gamma);
  const int cs = grid ? search_.params.grid_c : refined_count(search_.params.grid_c);
  const std::string unit = text(grid ? "" : text("round ", round, ", "), "gamma ", g, ", fold ", f);
  if ((!grid && (round < 1 || round > search_.params.refine)) || g < 0 || g >= gammas || f < 0 ||
      f >= search_.folds.folds()) {
    throw_run_error(text("a record names the unit (", unit, ")"), "the study has no such unit");
  }
  if (record.status != Status::done) return;
  const FoldResult result = FoldResult::from_bytes(record.payload);
  if (static_cast<int>(result.wrong.size()) != cs || result.held <= 0) {
    throw_run_error(text("the record of (", unit, ") has ", result.wrong.size(), " values of C"),
                    text("the study has ", cs));
  }
  found.values = values_of(*cell_measures().front(), result, search_.classes);
  found.selected = values_of(*search_.selection.measure, result, search_.classes);
}

std::vector<double> SvmStudy::read_out_of_fold(const Record& record) const {
  const int f = record.key.index[2];
  if (f < 0 || f >= search_.folds.folds()) {
    throw_run_error(text("a record names out-of-fold decision values of fold ", f), "the study has no such unit");
  }
  if (record.status != Status::done) return {};
  std::vector<double> decision = OutOfFoldResult::from_bytes(record.payload).decision;
  const std::size_t expected = search_.folds.held[f].size() * static_cast<std::size_t>(search_.problems);
  if (decision.size() != expected) {
    throw_run_error(text("fold ", f, " has ", decision.size(), " out-of-fold decision values"),
                    text("the study has ", expected));
  }
  return decision;
}

SvmStudy::Found SvmStudy::read(const Record& record) const {
  Found found{record.status == Status::done, record.reason, {}, {}};
  if (is_search(record.key)) read_fold(record, found);
  if (record.key.kind == svm_unit_out_of_fold) found.values = read_out_of_fold(record);
  return found;
}

/// Enters the fold errors of a unit of a search into its round, if that has begun.
void SvmStudy::enter(const UnitKey& key, const Found& found) {
  const auto [round, g, f] = path_of(key);
  if (!is_search(key) || round >= static_cast<int>(rounds_.size())) return;
  const std::size_t cs = found.values.size(), folds = search_.folds.held.size();
  for (std::size_t c = 0; c < cs; ++c) {
    const std::size_t at = (static_cast<std::size_t>(g) * cs + c) * folds + static_cast<std::size_t>(f);
    rounds_[round].fold_error[at] = found.values[c];
    rounds_[round].selected[at] = found.selected[c];
  }
}

std::vector<Unit> SvmStudy::on_record(const Record& record) {
  if (found_.contains(record.key)) return {};
  enter(record.key, found_.emplace(record.key, read(record)).first->second);
  waiting_.erase(record.key);
  std::vector<Unit> ready;
  while (waiting_.empty() && stage_ < stages_.size()) {
    for (Unit& unit : begin_next_stage()) {
      // Its record may have come before this stage.
      const auto found = found_.find(unit.key);
      if (found == found_.end()) {
        waiting_.insert(unit.key);
      } else {
        enter(unit.key, found->second);
      }
      ready.push_back(std::move(unit));
    }
  }
  return ready;
}

std::optional<Cell> SvmStudy::best() const {
  std::optional<Cell> best;
  for (std::size_t r = 0; r < rounds_.size(); ++r) {
    const auto cell = best_cell(rounds_[r], search_.selection, search_.folds.folds());
    const bool lower = search_.selection.measure->better == measures::Better::lower;
    if (!cell || (best && !(lower ? cell->value < best->value : cell->value > best->value))) continue;
    best = cell;
    best->round = static_cast<int>(r);
  }
  return best;
}

std::vector<Unit> SvmStudy::begin_next_stage() {
  const auto cell = best();
  if (cell && stages_[stage_].unit == svm_unit_out_of_fold) gather_out_of_fold(*cell);
  stage_ = cell ? stage_ + 1 : stages_.size();
  if (stage_ == stages_.size()) return {};
  const std::uint32_t kind = stages_[stage_].unit;
  if (kind == svm_unit_refine) return begin_round(*cell);
  const SearchRound& round = rounds_[cell->round];
  PathInput input{round.gamma[cell->gamma], {round.c.begin(), round.c.begin() + cell->c + 1}, {}};
  std::vector<Unit> units = {units_.refit(*cell)};
  if (kind == svm_unit_out_of_fold) {
    units = units_.out_of_fold(*cell, round.c.size());
  } else if (calibration_) {
    input.sigmoid = calibration_->sigmoid;
  }
  for (Unit& unit : units) unit.input = input.to_bytes();
  return units;
}

/// Begins a round of refinement around a cell.
std::vector<Unit> SvmStudy::begin_round(const Cell& centre) {
  const int number = static_cast<int>(rounds_.size());
  const SvmParams& params = search_.params;
  const SearchRound& before = rounds_[centre.round];
  const SearchRound round = make_round(
      refined_axis(params.log10_c, params.grid_c, before.c[centre.c], number),
      refined_axis(search_.log10_gamma, params.grid_gamma, before.gamma[centre.gamma], number), search_.folds.folds());
  rounds_.push_back(round);
  units_.gamma.push_back(round.gamma);
  std::vector<Unit> units = units_.search(number, round.c.size());
  for (Unit& unit : units) unit.input = PathInput{round.gamma[unit.key.index[1]], round.c, {}}.to_bytes();
  return units;
}

/// Takes the decision values of a cell from its out-of-fold units, and finds the probabilities if they are asked for.
void SvmStudy::gather_out_of_fold(const Cell& cell) {
  const auto problems = static_cast<std::size_t>(search_.problems);
  std::vector<double> decision(static_cast<std::size_t>(search_.samples) * problems);
  for (const Unit& unit : units_.out_of_fold(cell, rounds_[cell.round].c.size())) {
    const Found& found = found_.at(unit.key);
    const std::vector<int>& held = search_.folds.held[unit.key.index[2]];
    if (!found.done) {
      out_of_fold_failed_ = text("fold ", unit.key.index[2], ": ", found.reason);
      return;
    }
    for (std::size_t k = 0; k < found.values.size(); ++k) {
      decision[static_cast<std::size_t>(held[k % held.size()]) * problems + k / held.size()] = found.values[k];
    }
  }
  out_of_fold_ = std::move(decision);
  if (search_.params.probability) calibration_ = calibrate(search_, label_, out_of_fold_);
}

}  // namespace krossfold::studies
