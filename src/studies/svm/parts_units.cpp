// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/parts_units.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/run/unit_table.hpp"
#include "krossfold/studies/svm/cell_measures.hpp"
#include "krossfold/studies/svm/stages.hpp"

namespace krossfold::studies {

namespace {

std::optional<Cell> best_of(const std::vector<double>& error, const std::vector<double>& value, int gammas, int cs,
                            int folds, const measures::SelectionRule& rule) {
  const auto choice = choose_cell(error, value, gammas, cs, folds, rule.measure->better);
  if (!choice) return std::nullopt;
  const int cell = rule.cell(*choice);
  return Cell{
      .gamma = cell / cs, .c = cell % cs, .error = mean_at(error, cell, folds, measured_folds(error, error, folds))};
}

/// The costs and units of the search within a part.
SvmUnits units_of(const PartsLayout& search, int part) {
  return {search.part_samples(part),
          search.whole.folds.folds(),
          search.whole.classes,
          {search.whole.gamma},
          search.whole.folds.repeats};
}

}  // namespace

int parts_stage(const UnitKey& key) {
  constexpr int last = std::numeric_limits<int>::max();
  if (key.kind == svm_unit_part_fold) return 0;
  return key.kind == svm_unit_part_model ? last : last - 1;
}

FoldResult pooled(const std::vector<const FoldResult*>& parts, int classes) {
  FoldResult all;
  const auto columns = static_cast<std::size_t>(classes);
  const bool weighted =
      std::any_of(parts.begin(), parts.end(), [](const FoldResult* one) { return !one->weight.empty(); });
  std::vector<std::size_t> at(parts.size(), 0);
  const std::size_t cs = parts.empty() ? 0 : parts.front()->wrong.size();
  all.wrong.assign(cs, 0);
  for (const FoldResult* one : parts) all.held += one->held;
  for (std::size_t c = 0; c < cs; ++c) {
    std::map<std::size_t, std::pair<std::int32_t, double>> sum;  // (truth, choice)
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const FoldResult& one = *parts[p];
      all.wrong[c] = all.wrong[c] < 0 || one.wrong.at(c) < 0 ? -1 : all.wrong[c] + one.wrong.at(c);
      for (std::int32_t k = 0; k < one.pairs.at(c); ++k, ++at[p]) {
        auto& [count, weight] = sum[static_cast<std::size_t>(one.truth.at(at[p])) * columns +
                                    static_cast<std::size_t>(one.choice.at(at[p]))];
        count += one.count.at(at[p]);
        if (weighted) weight += one.weight.at(at[p]);
      }
    }
    if (all.wrong[c] < 0) sum.clear();  // a part has no choice
    all.pairs.push_back(static_cast<std::int32_t>(sum.size()));
    for (const auto& [pair, of_pair] : sum) {
      all.truth.push_back(static_cast<std::int32_t>(pair / columns));
      all.choice.push_back(static_cast<std::int32_t>(pair % columns));
      all.count.push_back(of_pair.first);
      if (weighted) all.weight.push_back(of_pair.second);
    }
  }
  return all;
}

PartsStudy::PartsStudy(const PartsLayout& search, int together)
    : search_(search),
      gammas_(static_cast<int>(search.whole.gamma.size())),
      cs_(static_cast<int>(search.whole.c.size())),
      folds_(search.whole.folds.folds()),
      joined_(together),
      round_{search.whole.c, search.whole.gamma, {}, {}},
      result_(static_cast<std::size_t>(search.parts()) * gammas_ * folds_),
      missing_(static_cast<std::size_t>(gammas_) * folds_, 0) {
  round_.fold_error.assign(static_cast<std::size_t>(gammas_) * cs_ * folds_, run::not_computed);
  round_.selected = round_.fold_error;
  for (const Unit& unit : fold_units()) {
    waiting_.insert(unit.key);
    ++missing_[static_cast<std::size_t>(unit.key.index[1]) * folds_ + unit.key.index[2]];
  }
}

std::size_t PartsStudy::at(int part, int gamma, int fold) const {
  return (static_cast<std::size_t>(part) * gammas_ + gamma) * folds_ + fold;
}

std::vector<Unit> PartsStudy::initial() { return joined_.join(fold_units(), search_.whole.gamma, search_.whole.c); }

std::vector<Unit> PartsStudy::fold_units() const {
  std::vector<Unit> all;
  for (int p = 0; p < search_.parts(); ++p) {
    for (Unit& unit : units_of(search_, p).search(0, search_.whole.c.size())) {
      if (search_.held(p, unit.key.index[1]) == 0) continue;
      unit.key = {svm_unit_part_fold, {p, unit.key.index[0], unit.key.index[1]}};
      unit.affinity = p;
      all.push_back(std::move(unit));
    }
  }
  return all;
}

/// Enters the result of a unit of the search, and the errors over all parts once it is the last of its (gamma, fold).
void PartsStudy::enter_fold(const Record& record) {
  const auto [p, g, f] = record.key.index;
  if (p < 0 || p >= search_.parts() || g < 0 || g >= gammas_ || f < 0 || f >= folds_ || search_.held(p, f) == 0) {
    throw_run_error(text("a record names the unit (part ", p, ", gamma ", g, ", fold ", f, ")"),
                    "the study has no such unit");
  }
  if (record.status != Status::done) return;
  PartFoldResult result = PartFoldResult::from_bytes(record.payload);
  if (static_cast<int>(result.fold.wrong.size()) != cs_ || result.fold.held != search_.held(p, f)) {
    throw_run_error(text("the record of (part ", p, ", gamma ", g, ", fold ", f, ") is of another search"),
                    text(result.fold.wrong.size(), " values of C, ", result.fold.held, " held-out samples"));
  }
  result_[at(p, g, f)] = std::move(result);
  if (--missing_[static_cast<std::size_t>(g) * folds_ + f] > 0) return;
  const FoldResult all = pooled_at(g, f).value();
  const std::vector<double> error = values_of(*cell_measures().front(), all, search_.whole.classes),
                            value = values_of(*search_.whole.selection.measure, all, search_.whole.classes);
  for (int c = 0; c < cs_; ++c) {
    const auto cell = static_cast<std::size_t>(g * cs_ + c) * folds_ + f;
    round_.fold_error[cell] = error[static_cast<std::size_t>(c)];
    round_.selected[cell] = value[static_cast<std::size_t>(c)];
  }
}

std::optional<FoldResult> PartsStudy::pooled_at(int gamma, int fold) const {
  if (missing_[static_cast<std::size_t>(gamma) * folds_ + fold] > 0) return std::nullopt;
  std::vector<const FoldResult*> parts;
  for (int p = 0; p < search_.parts(); ++p) {
    if (const auto& one = result_[at(p, gamma, fold)]) parts.push_back(&one->fold);
  }
  return pooled(parts, search_.whole.classes);
}

std::optional<Cell> PartsStudy::common() const {
  return best_of(round_.fold_error, round_.selected, gammas_, cs_, folds_, search_.whole.selection);
}

/// The best cell of a part by the folds that hold out samples of it: by the error where all samples of the part are of one class.
std::optional<Cell> PartsStudy::own(int part) const {
  std::vector<int> folds;
  for (int f = 0; f < folds_; ++f) {
    if (search_.held(part, f) > 0) folds.push_back(f);
  }
  const std::size_t count = folds.size();
  std::vector<double> error(static_cast<std::size_t>(gammas_) * cs_ * count, run::not_computed), value(error);
  for (int g = 0; g < gammas_; ++g) {
    for (std::size_t k = 0; k < count; ++k) {
      const auto& one = result_[at(part, g, folds[k])];
      if (!one) continue;
      const std::vector<double> errors = values_of(*cell_measures().front(), one->fold, search_.whole.classes),
                                values = values_of(*search_.whole.selection.measure, one->fold, search_.whole.classes);
      for (int c = 0; c < cs_; ++c) {
        const std::size_t cell = static_cast<std::size_t>(g * cs_ + c) * count + k;
        error[cell] = errors[static_cast<std::size_t>(c)];
        value[cell] = values[static_cast<std::size_t>(c)];
      }
    }
  }
  const auto best = best_of(error, value, gammas_, cs_, static_cast<int>(count), search_.whole.selection);
  const measures::SelectionRule by_error{cell_measures().front(), search_.whole.selection.one_standard_error};
  return best ? best : best_of(error, error, gammas_, cs_, static_cast<int>(count), by_error);
}

/// Chooses the cell of each part; none if there is no cell with all its folds.
void PartsStudy::choose() {
  const auto all = common();
  if (!all) return;
  std::vector<Cell> cells(static_cast<std::size_t>(search_.parts()), *all);
  for (int p = 0; p < search_.parts() && search_.own_cells; ++p) {
    if (const auto one = own(p)) cells[static_cast<std::size_t>(p)] = *one;  // else its samples have no weight
  }
  cell_ = std::move(cells);
}

UnitKey PartsStudy::out_of_fold_key(int part, int fold) const {
  const Cell& cell = cell_.at(static_cast<std::size_t>(part));
  return {svm_unit_part_out_of_fold, {part, cell.gamma * cs_ + cell.c, fold}};
}

UnitKey PartsStudy::refit_key(int part) const {
  const Cell& cell = cell_.at(static_cast<std::size_t>(part));
  return {svm_unit_part_refit, {part, cell.gamma, cell.c}};
}

UnitKey PartsStudy::model_key() const {
  std::vector<int> cells;
  for (const Cell& cell : cell_) cells.push_back(cell.gamma * cs_ + cell.c);
  const std::uint64_t sum = crc64(std::as_bytes(std::span(cells)));
  return {svm_unit_part_model, {static_cast<std::int32_t>(sum & 0x7fffffff), 0, 0}};
}

std::vector<Unit> PartsStudy::begin_parts() {
  std::vector<Unit> all;
  for (int p = 0; p < search_.parts(); ++p) {
    const SvmUnits units = units_of(search_, p);
    const Cell& cell = cell_[static_cast<std::size_t>(p)];
    const auto& gamma = search_.whole.gamma;
    const auto& c = search_.whole.c;
    const PathInput input{gamma[static_cast<std::size_t>(cell.gamma)], {c.begin(), c.begin() + cell.c + 1}, {}};
    for (Unit& unit : units.out_of_fold(cell, c.size())) {
      if (search_.held(p, unit.key.index[2]) == 0) continue;
      unit.key = out_of_fold_key(p, unit.key.index[2]);
      all.push_back(std::move(unit));
      all.back().input = input.to_bytes();
      all.back().affinity = p;
    }
    if (!search_.whole.params.refit) continue;
    all.push_back(units.refit(cell));
    all.back().key = refit_key(p);
    all.back().input = input.to_bytes();
    all.back().affinity = p;
  }
  return all;
}

/// The unit that joins the machines, if all of them are there.
std::vector<Unit> PartsStudy::begin_model() {
  gather_out_of_fold();
  if (!search_.whole.params.refit) return {};
  PartModelInput input;
  double cost = 0;
  for (int p = 0; p < search_.parts(); ++p) {
    const Record& record = later_.at(refit_key(p));
    if (record.status != Status::done) {
      refit_failed_ = text("part ", p, ": ", record.reason);
      return {};
    }
    input.checksum.push_back(RefitResult::from_bytes(record.payload).model_checksum);
    cost += search_.part_samples(p);
  }
  return {{.key = model_key(), .cost = cost, .input = input.to_bytes()}};
}

std::vector<Unit> PartsStudy::on_record(const Record& record) {
  if (!seen_.insert(record.key).second) return {};
  if (record.key.kind == svm_unit_part_fold) {
    enter_fold(record);
  } else {
    later_[record.key] = record;
  }
  waiting_.erase(record.key);
  std::vector<Unit> ready = joined_.left_open(record.key, [&](const UnitKey& key) { return seen_.contains(key); });
  while (waiting_.empty() && stage_ < 3) {
    ++stage_;
    if (stage_ == 1) choose();
    if (cell_.empty()) stage_ = 3;
    const std::vector<Unit> next = stage_ == 1 ? begin_parts() : stage_ == 2 ? begin_model() : std::vector<Unit>();
    for (const Unit& unit : next) {
      if (!seen_.contains(unit.key)) waiting_.insert(unit.key);  // else its record came before this stage
      ready.push_back(unit);
    }
  }
  return ready;
}

/// Takes the decision values from the out-of-fold units of all parts.
void PartsStudy::gather_out_of_fold() {
  const auto problems = static_cast<std::size_t>(search_.whole.problems);
  const int per_repeat = folds_ / search_.whole.folds.repeats;
  std::vector<double> decision(static_cast<std::size_t>(search_.whole.samples) * problems *
                               search_.whole.folds.repeats);
  for (int p = 0; p < search_.parts(); ++p) {
    for (int f = 0; f < folds_; ++f) {
      const std::vector<int>& held = search_.folds[p].held[f];
      if (held.empty()) continue;
      const Record& record = later_.at(out_of_fold_key(p, f));
      if (record.status != Status::done) {
        out_of_fold_failed_ = text("part ", p, ", fold ", f, ": ", record.reason);
        return;
      }
      const std::vector<double> values = OutOfFoldResult::from_bytes(record.payload).decision;
      if (values.size() != held.size() * problems) {
        throw_run_error(text("part ", p, ", fold ", f, " has ", values.size(), " out-of-fold decision values"),
                        text("the study has ", held.size() * problems));
      }
      const std::size_t first = static_cast<std::size_t>(f / per_repeat) * search_.whole.samples;
      for (std::size_t k = 0; k < values.size(); ++k) {
        const auto place = static_cast<std::size_t>(held[k % held.size()]);
        const std::size_t row = first + static_cast<std::size_t>(search_.partition.sample[p][place]);
        decision[row * problems + k / held.size()] = values[k];
      }
    }
  }
  out_of_fold_ = std::move(decision);
}

std::vector<PartOutcome> PartsStudy::outcome() const {
  std::vector<PartOutcome> all;
  for (int p = 0; p < search_.parts() && !cell_.empty(); ++p) {
    PartOutcome one{cell_[static_cast<std::size_t>(p)]};
    for (int f = 0; f < folds_; ++f) {
      const auto& result = result_[at(p, one.cell.gamma, f)];
      if (!result) continue;
      one.held += result->fold.held;
      one.wrong += result->fold.wrong[static_cast<std::size_t>(one.cell.c)];
    }
    all.push_back(one);
  }
  return all;
}

std::vector<double> PartsStudy::cell_error() const {
  std::vector<double> all;
  for (int p = 0; p < search_.parts(); ++p) {
    for (int g = 0; g < gammas_; ++g) {
      std::vector<double> wrong(static_cast<std::size_t>(cs_), 0);
      double held = 0;
      for (int f = 0; f < folds_; ++f) {
        if (search_.held(p, f) == 0) continue;
        const auto& result = result_[at(p, g, f)];
        held += result ? result->fold.held : run::not_computed;
        for (int c = 0; c < cs_ && result; ++c) {
          const int of_fold = result->fold.wrong[static_cast<std::size_t>(c)];
          wrong[static_cast<std::size_t>(c)] += of_fold < 0 ? run::not_computed : of_fold;
        }
      }
      for (const double one : wrong) all.push_back(one / held);
    }
  }
  return all;
}

std::vector<int> PartsStudy::not_converged() const {
  std::vector<int> all(static_cast<std::size_t>(search_.parts()), 0);
  const std::size_t of_part = static_cast<std::size_t>(gammas_) * folds_;
  for (std::size_t k = 0; k < result_.size(); ++k) {
    if (!result_[k]) continue;
    for (const std::int32_t open : result_[k]->not_converged) all[k / of_part] += open;
  }
  return all;
}

std::vector<FoldResult> PartsStudy::chosen() const {
  std::vector<FoldResult> all;
  for (int f = 0; f < folds_ && !cell_.empty(); ++f) {
    std::vector<FoldResult> own;
    for (int p = 0; p < search_.parts(); ++p) {
      const Cell& cell = cell_[static_cast<std::size_t>(p)];
      const auto& result = result_[at(p, cell.gamma, f)];
      if (!result) continue;
      // The one value of C that was chosen.
      const FoldResult& from = result->fold;
      FoldResult one;
      one.held = from.held;
      one.wrong = {from.wrong[static_cast<std::size_t>(cell.c)]};
      std::size_t first = 0;
      for (int c = 0; c < cell.c; ++c) first += static_cast<std::size_t>(from.pairs[static_cast<std::size_t>(c)]);
      one.pairs = {from.pairs[static_cast<std::size_t>(cell.c)]};
      const auto cut = [&](const auto& list) {
        return std::decay_t<decltype(list)>(list.begin() + static_cast<std::ptrdiff_t>(first),
                                            list.begin() + static_cast<std::ptrdiff_t>(first) + one.pairs[0]);
      };
      one.truth = cut(from.truth);
      one.choice = cut(from.choice);
      one.count = cut(from.count);
      if (!from.weight.empty()) one.weight = cut(from.weight);
      own.push_back(std::move(one));
    }
    std::vector<const FoldResult*> parts;
    for (const FoldResult& one : own) parts.push_back(&one);
    all.push_back(pooled(parts, search_.whole.classes));
  }
  return all;
}

}  // namespace krossfold::studies
