// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/units.hpp"

#include <algorithm>
#include <array>
#include <numeric>

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

bool is_search(const UnitKey& key) {
  return key.kind == svm_unit_fold || key.kind == svm_unit_refine || key.kind == svm_unit_nested;
}

/// The place of a unit of a search: in the grid (round 0), a round of refinement, or the grid within an outer fold.
struct Path {
  int round, gamma, fold, outer = -1;
};

Path path_of(const UnitKey& key) {
  if (key.kind == svm_unit_fold) return {0, key.index[0], key.index[1]};
  if (key.kind == svm_unit_nested) return {0, key.index[1], key.index[2], key.index[0]};
  return {key.index[0], key.index[1], key.index[2]};
}

std::optional<Cell> best_cell(const SearchRound& round, const measures::SelectionRule& rule, int folds) {
  const int cs = static_cast<int>(round.c.size()), gammas = static_cast<int>(round.gamma.size());
  const auto choice = choose_cell(round.fold_error, round.selected, gammas, cs, folds, rule.measure->better);
  if (!choice) return std::nullopt;
  const int cell = rule.cell(*choice);
  return Cell{
      .gamma = cell / cs,
      .c = cell % cs,
      .error = mean_at(round.fold_error, cell, folds, measured_folds(round.fold_error, round.fold_error, folds))};
}

}  // namespace

SvmStudy::SvmStudy(const SvmLayout& search, const Vector<const int>& label, int together)
    : search_(search),
      label_(label),
      stages_(svm_stages(search.params.refine, search.params.refit)),
      units_{search.samples, search.folds.folds(), search.classes,
             {search.gamma}, search.folds.repeats, search.outer_folds()},
      joined_(together),
      rounds_{make_round(search.c, search.gamma, search.folds.folds())} {
  for (const data::FoldSplit& inner : search.nested.inner) {
    outer_.push_back({make_round(search.c, search.gamma, inner.folds()), {}, {}, {}});
  }
  for (const auto& units : {units_.search(0, search_.c.size()), nested()}) {
    for (const Unit& unit : units) waiting_.insert(unit.key);
  }
}

std::vector<Unit> SvmStudy::initial() {
  std::vector<Unit> units = joined_.join(units_.search(0, search_.c.size()), search_.gamma, search_.c);
  for (Unit& unit : nested()) units.push_back(std::move(unit));
  return units;
}

/// The units of the searches within the outer folds.
std::vector<Unit> SvmStudy::nested() const {
  std::vector<Unit> units;
  for (int o = 0; o < search_.outer_folds(); ++o) {
    for (Unit& unit : units_.nested(o, search_.c.size())) units.push_back(std::move(unit));
  }
  return units;
}

void SvmStudy::read_fold(const Record& record, Found& found) const {
  const auto [round, g, f, outer] = path_of(record.key);
  const bool grid = record.key.kind != svm_unit_refine;
  const int gammas = grid ? search_.params.grid_gamma : refined_count(search_.params.grid_gamma);
  const int cs = grid ? search_.params.grid_c : refined_count(search_.params.grid_c);
  const std::string unit = text(outer >= 0 ? text("outer fold ", outer, ", ") : "",
                                grid ? "" : text("round ", round, ", "), "gamma ", g, ", fold ", f);
  const bool nested = record.key.kind == svm_unit_nested;
  const int folds = nested ? search_.folds.folds() / search_.folds.repeats : search_.folds.folds();
  if ((nested && (outer < 0 || outer >= search_.outer_folds())) ||
      (!grid && (round < 1 || round > search_.params.refine)) || g < 0 || g >= gammas || f < 0 || f >= folds) {
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

std::vector<double> SvmStudy::read_outer(const Record& record) const {
  const int o = record.key.index[0];
  if (o < 0 || o >= search_.outer_folds()) {
    throw_run_error(text("a record names decision values of outer fold ", o), "the study has no such unit");
  }
  if (record.status != Status::done) return {};
  std::vector<double> decision = OutOfFoldResult::from_bytes(record.payload).decision;
  const std::size_t expected = search_.nested.outer.held[o].size() * static_cast<std::size_t>(search_.problems);
  if (decision.size() != expected) {
    throw_run_error(text("outer fold ", o, " has ", decision.size(), " decision values"),
                    text("the study has ", expected));
  }
  return decision;
}

SvmStudy::Found SvmStudy::read(const Record& record) const {
  Found found{record.status == Status::done, record.reason, {}, {}};
  if (is_search(record.key)) read_fold(record, found);
  if (record.key.kind == svm_unit_out_of_fold) found.values = read_out_of_fold(record);
  if (record.key.kind == svm_unit_outer) found.values = read_outer(record);
  return found;
}

/// Enters the fold errors of a unit of a search into its round, if that has begun, and what was found of an outer fold.
void SvmStudy::enter(const UnitKey& key, const Found& found) {
  if (key.kind == svm_unit_outer) {
    OuterFold& outer = outer_[static_cast<std::size_t>(key.index[0])];
    // One at another cell is from before failed units were computed again.
    if (!outer.best || outer.best->gamma != key.index[1] || outer.best->c != key.index[2]) return;
    outer.decision = found.values;
    if (!found.done) outer.failed = found.reason;
  }
  if (!is_search(key)) return;
  const auto [round, g, f, o] = path_of(key);
  if (o < 0 && round >= static_cast<int>(rounds_.size())) return;
  SearchRound& of = o < 0 ? rounds_[round] : outer_[static_cast<std::size_t>(o)].search;
  const std::size_t cs = found.values.size(), folds = of.fold_error.size() / of.c.size() / of.gamma.size();
  for (std::size_t c = 0; c < cs; ++c) {
    const std::size_t at = (static_cast<std::size_t>(g) * cs + c) * folds + static_cast<std::size_t>(f);
    of.fold_error[at] = found.values[c];
    of.selected[at] = found.selected[c];
  }
}

std::vector<Unit> SvmStudy::on_record(const Record& record) {
  if (found_.contains(record.key)) return {};
  enter(record.key, found_.emplace(record.key, read(record)).first->second);
  waiting_.erase(record.key);
  std::vector<Unit> ready = left_open(record.key);
  while (waiting_.empty() && stage_ < stages_.size()) {
    std::vector<Unit> units = begin_next_stage();
    for (const Unit& unit : units) {
      // Its record may have come before this stage.
      const auto found = found_.find(unit.key);
      if (found == found_.end()) {
        waiting_.insert(unit.key);
      } else {
        enter(unit.key, found->second);
      }
    }
    if (stage_ < stages_.size() && stages_[stage_].unit == svm_unit_refine) {
      units = joined_.join(units, rounds_.back().gamma, rounds_.back().c);
    }
    for (Unit& unit : units) {
      if (found_.contains(unit.key)) {
        for (Unit& open : left_open(unit.key)) ready.push_back(std::move(open));
      }
      ready.push_back(std::move(unit));
    }
  }
  return ready;
}

/// See JoinedFolds.
std::vector<Unit> SvmStudy::left_open(const UnitKey& key) const {
  return joined_.left_open(key, [&](const UnitKey& other) { return found_.contains(other); });
}

std::optional<Cell> SvmStudy::best() const {
  const int folds = search_.folds.folds();
  const measures::SelectionRule& rule = search_.selection;
  std::vector<Cell> cells;
  std::vector<double> error, value;  // (cell, fold)
  for (std::size_t r = 0; r < rounds_.size(); ++r) {
    const SearchRound& round = rounds_[r];
    for (std::size_t k = 0; k < round.gamma.size() * round.c.size(); ++k) {
      cells.push_back({.gamma = static_cast<int>(k / round.c.size()),
                       .c = static_cast<int>(k % round.c.size()),
                       .round = static_cast<int>(r)});
    }
    error.insert(error.end(), round.fold_error.begin(), round.fold_error.end());
    value.insert(value.end(), round.selected.begin(), round.selected.end());
  }
  const auto place = [&](int k) {
    const Cell& cell = cells[static_cast<std::size_t>(k)];
    const SearchRound& of = rounds_[static_cast<std::size_t>(cell.round)];
    const double c = of.c[static_cast<std::size_t>(cell.c)], gamma = of.gamma[static_cast<std::size_t>(cell.gamma)];
    const double round = cell.round;
    return rule.one_standard_error ? std::array{c, gamma, round} : std::array{round, c, gamma};
  };
  std::vector<int> preference(cells.size());
  std::iota(preference.begin(), preference.end(), 0);
  std::sort(preference.begin(), preference.end(), [&](int one, int other) { return place(one) < place(other); });
  const auto choice = choose_cell(error, value, folds, rule.measure->better, preference);
  if (!choice) return std::nullopt;
  const int chosen = rule.cell(*choice);
  Cell best = cells[static_cast<std::size_t>(chosen)];
  best.error = mean_at(error, chosen, folds, measured_folds(error, error, folds));
  best.tied = choice->tied;
  best.within = choice->within;
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
    for (Unit& unit : units) unit.input = input.to_bytes();
    for (Unit& unit : begin_outer_tests()) units.push_back(std::move(unit));
    return units;
  }
  if (calibration_) input.sigmoid = calibration_->sigmoid;
  for (Unit& unit : units) unit.input = input.to_bytes();
  return units;
}

/// Chooses the best cell of each outer fold and makes the units that test them.
std::vector<Unit> SvmStudy::begin_outer_tests() {
  std::vector<Unit> units;
  for (std::size_t o = 0; o < outer_.size(); ++o) {
    OuterFold& outer = outer_[o];
    outer.best = best_cell(outer.search, search_.selection, search_.nested.inner[o].folds());
    if (!outer.best) {
      const std::string measure = search_.selection.measure->name;
      outer.failed = measure == "error"
                         ? "no cell has all its folds"
                         : text("no cell has a ", measure, " of all its folds; a fold of one class has none");
      continue;
    }
    units.push_back(units_.outer_test(static_cast<int>(o), *outer.best));
    units.back().input = PathInput{
        search_.gamma[outer.best->gamma],
        {search_.c.begin(), search_.c.begin() + outer.best->c + 1},
        {}}.to_bytes();
  }
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
  const auto per_repeat = static_cast<std::size_t>(search_.folds.folds() / search_.folds.repeats);
  const auto samples = static_cast<std::size_t>(search_.samples);
  std::vector<double> decision(samples * problems * static_cast<std::size_t>(search_.folds.repeats));
  for (const Unit& unit : units_.out_of_fold(cell, rounds_[cell.round].c.size())) {
    const Found& found = found_.at(unit.key);
    const std::vector<int>& held = search_.folds.held[unit.key.index[2]];
    if (!found.done) {
      out_of_fold_failed_ = text("fold ", unit.key.index[2], ": ", found.reason);
      return;
    }
    const std::size_t first = static_cast<std::size_t>(unit.key.index[2]) / per_repeat * samples;
    for (std::size_t k = 0; k < found.values.size(); ++k) {
      const std::size_t row = first + static_cast<std::size_t>(held[k % held.size()]);
      decision[row * problems + k / held.size()] = found.values[k];
    }
  }
  out_of_fold_ = std::move(decision);
  if (search_.params.probability) calibration_ = calibrate(search_, label_, out_of_fold_);
}

}  // namespace krossfold::studies
