// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/result.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "field.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/studies/svm/cell_measures.hpp"
#include "krossfold/studies/svm/result_fields.hpp"
#include "krossfold/svm/machine.hpp"

namespace krossfold::studies {

namespace {

/// The shape of the grid.
struct Grid {
  std::size_t gammas, cs, folds, classes, problems;
  std::size_t unit(const Record& r) const { return static_cast<std::size_t>(r.key.index[0]) * folds + r.key.index[1]; }
  std::size_t cell(std::size_t g, std::size_t c, std::size_t f) const { return (g * cs + c) * folds + f; }
};

/// Writes the grid and its (gamma, fold) units.
void add_search(const storage::FieldWriter& file, const SvmLayout& search, const std::vector<Record>& records,
                const SvmStudy& study, const Grid& grid) {
  const std::size_t units = grid.gammas * grid.folds;
  run::UnitTable table(units);
  svm::FitSummary missing;
  missing.dual_objective = missing.violation = run::not_computed;
  std::vector<svm::FitSummary> fits(units * grid.cs * grid.problems, missing);
  std::vector<std::vector<double>> measure(field.measure.size(),
                                           std::vector<double>(units * grid.cs, run::not_computed));
  for (const Record& record : records) {
    if (record.key.kind != svm_unit_fold) continue;
    table.set(grid.unit(record), record);
    if (record.status != Status::done) continue;
    const std::size_t g = record.key.index[0], f = record.key.index[1];
    const FoldResult result = FoldResult::from_bytes(record.payload);
    for (std::size_t k = 0; k < grid.cs * grid.problems; ++k) {
      fits[grid.cell(g, k / grid.problems, f) * grid.problems + k % grid.problems] = result.fit[k];
    }
    for (std::size_t m = 0; m < measure.size(); ++m) {
      const std::vector<double> values = values_of(*cell_measures()[m + 1], result, search.classes);
      for (std::size_t c = 0; c < grid.cs; ++c) measure[m][grid.cell(g, c, f)] = values[c];
    }
  }
  file.put(field.gamma, search.gamma);
  file.put(field.c, search.c);
  file.put_index(field.fold, grid.folds);
  file.put(field.fold_error, study.rounds()[0].fold_error);
  table.write(file, field.unit);
  for (std::size_t m = 0; m < measure.size(); ++m) file.put(field.measure[m], measure[m]);
  file.put(field.iterations, run::column(fits, &svm::FitSummary::iterations));
  file.put(field.converged, run::column(fits, &svm::FitSummary::converged));
  file.put(field.interior_steps, run::column(fits, &svm::FitSummary::interior_steps));
  file.put(field.factor_rank, run::column(fits, &svm::FitSummary::rank));
  if (search.params.factor > 0) {
    file.put(field.objective_error, run::column(fits, &svm::FitSummary::objective_error));
    file.put(field.gradient_error, run::column(fits, &svm::FitSummary::gradient_error));
  }
  file.put(field.dual_objective, run::column(fits, &svm::FitSummary::dual_objective));
  file.put(field.kkt_violation, run::column(fits, &svm::FitSummary::violation));
  file.put(field.n_support, run::column(fits, &svm::FitSummary::support));
}

/// Writes the rounds of refinement begun so far.
void add_rounds(storage::Container& content, const std::vector<Record>& records, const SvmStudy& study,
                const Grid& grid) {
  const std::vector<SearchRound>& rounds = study.rounds();
  std::vector<std::vector<std::int32_t>> not_converged;
  std::vector<std::vector<double>> seconds;  // (gamma, fold)
  for (const SearchRound& round : rounds) {
    not_converged.emplace_back(round.fold_error.size(), 0);
    seconds.emplace_back(round.gamma.size() * grid.folds, run::not_computed);
  }
  int units = 0, failed = 0;
  std::string reason;
  for (const Record& record : records) {
    const std::size_t r = record.key.index[0], g = record.key.index[1], f = record.key.index[2];
    if (record.key.kind != svm_unit_refine || r >= rounds.size()) continue;
    ++units;
    seconds[r][g * grid.folds + f] = record.seconds;
    if (record.status != Status::done) {
      if (failed++ == 0) reason = record.reason;
      continue;
    }
    const FoldResult result = FoldResult::from_bytes(record.payload);
    for (std::size_t k = 0; k < result.fit.size(); ++k) {
      const std::size_t cell = (g * result.wrong.size() + k / grid.problems) * grid.folds + f;
      not_converged[r][cell] += result.fit[k].converged == 0 ? 1 : 0;
    }
  }
  if (failed > 0) {
    content.attributes["refine_failed"] = text(failed, " of ", units, " units, the first with: ", reason);
  }
  for (std::size_t r = 1; r < rounds.size(); ++r) {
    const storage::FieldWriter file(content, refine_group(static_cast<int>(r)));
    file.put(field.gamma, rounds[r].gamma);
    file.put(field.c, rounds[r].c);
    file.put(field.fold_error, rounds[r].fold_error);
    file.put(field.selected, rounds[r].selected);
    file.put(field.not_converged, not_converged[r]);
    file.put(field.round_seconds, seconds[r]);
  }
}

/// Writes the measures of the best cell: means over its folds, ties, and the confusion matrix of all folds.
void add_best_measures(const storage::FieldWriter& file, const SvmLayout& search, const std::vector<Record>& records,
                       const SearchRound& round, const Cell& best, const Grid& grid) {
  const int gammas = static_cast<int>(round.gamma.size()), cs = static_cast<int>(round.c.size());
  if (search.selection.one_standard_error) {
    file.put_one(field.best_tied, best.tied);
    file.put_one(field.best_within, best.within);
  } else if (const auto choice = choose_cell(round.fold_error, round.selected, gammas, cs, search.folds.folds(),
                                             search.selection.measure->better)) {
    file.put_one(field.best_tied, choice->tied);
    file.put_one(field.best_within, choice->within);
  }
  std::vector<FoldResult> folds;
  for (const Record& record : records) {
    const auto& index = record.key.index;
    const bool here = best.round == 0
                          ? record.key.kind == svm_unit_fold && index[0] == best.gamma
                          : record.key.kind == svm_unit_refine && index[0] == best.round && index[1] == best.gamma;
    if (here && record.status == Status::done) folds.push_back(FoldResult::from_bytes(record.payload));
  }
  if (folds.size() == grid.folds) add_measures_of(file, folds, static_cast<std::size_t>(best.c), search.classes);
}

void add_best(const storage::FieldWriter& file, const std::vector<Record>& records, const SearchRound& round,
              const Cell& best, const Grid& grid) {
  add_best_cell(file, round, best);
  std::vector<double> seconds(grid.folds, run::not_computed);
  bool decided = false;
  const int cell = best.gamma * static_cast<int>(round.c.size()) + best.c;
  for (const Record& record : records) {
    const auto& [r, of_cell, fold] = record.key.index;
    if (record.key.kind != svm_unit_out_of_fold || r != best.round || of_cell != cell) continue;
    seconds[static_cast<std::size_t>(fold)] = record.seconds;
    decided = true;
  }
  if (decided) file.put(field.out_seconds, seconds);
}

/// Writes the searches of nested cross-validation, and what their best machines predict of the outer folds.
void add_nested(storage::Container& content, const SvmLayout& search, const data::Task& task,
                const std::vector<Record>& records, const SvmStudy& study, const Grid& grid) {
  const std::vector<OuterFold>& outer = study.outer();
  const std::size_t inner = static_cast<std::size_t>(search.nested.inner.front().folds()),
                    of_search = grid.gammas * inner;
  const auto n = static_cast<std::size_t>(search.samples), problems = grid.problems;
  std::vector<double> fold_error, seconds(outer.size() * of_search, run::not_computed),
      none(outer.size(), run::not_computed), gamma = none, c = none, search_error = none, error = none, selected = none,
                                             test_seconds = none, decision(n * problems);
  for (const Record& record : records) {
    const auto& index = record.key.index;
    if (record.key.kind == svm_unit_nested)
      seconds[index[0] * of_search + index[1] * inner + index[2]] = record.seconds;
    if (record.key.kind == svm_unit_outer) test_seconds[index[0]] = record.seconds;
  }
  std::vector<std::int32_t> fold(n), label(n);
  std::string failed;
  for (std::size_t o = 0; o < outer.size(); ++o) {
    const auto& one = outer[o].search.fold_error;
    fold_error.insert(fold_error.end(), one.begin(), one.end());
    if (failed.empty() && !outer[o].failed.empty()) failed = text("outer fold ", o, ": ", outer[o].failed);
    if (!outer[o].best) continue;
    gamma[o] = search.gamma[outer[o].best->gamma];
    c[o] = search.c[outer[o].best->c];
    search_error[o] = outer[o].best->error;
    if (outer[o].decision.empty()) continue;
    const std::vector<int>& held = search.nested.outer.held[o];
    std::vector<double> here(held.size() * problems);
    std::vector<int> truth;
    std::vector<double> weight;
    for (std::size_t k = 0; k < held.size(); ++k) {
      if (search.params.weighted_measures) weight.push_back(task.train.weight(held[k]));
      fold[held[k]] = static_cast<std::int32_t>(o);
      truth.push_back(label[held[k]] = task.train.label(held[k]));
      for (std::size_t p = 0; p < problems; ++p) {
        here[k * problems + p] = decision[held[k] * problems + p] = outer[o].decision[p * held.size() + k];
      }
    }
    const std::vector<std::int32_t> choice = predicted_rows(search, here);
    const Matrix<double> by_problem("krossfold::studies::outer_decision", problems, held.size());
    std::copy(outer[o].decision.begin(), outer[o].decision.end(), by_problem.data());
    const std::vector<double> score = class_scores(search.multiclass, search.classes, by_problem, 0, held.size());
    const measures::Predicted of{
        .classes = search.classes, .truth = truth, .choice = choice, .score = score, .weight = weight};
    error[o] = measures::measure(*cell_measures().front(), of);
    selected[o] = measures::measure(*search.selection.measure, of);
  }
  const storage::FieldWriter file(content);
  file.put_index(field.outer, outer.size());
  file.put_index(field.inner_fold, inner);
  file.put(field.outer_fold_error, fold_error);
  file.put(field.outer_seconds, seconds);
  file.put(field.outer_gamma, gamma);
  file.put(field.outer_c, c);
  file.put(field.outer_search_error, search_error);
  file.put(field.outer_error, error);
  file.put(field.outer_selected, selected);
  file.put(field.outer_test_seconds, test_seconds);
  if (!failed.empty()) content.attributes["outer_failed"] = failed;
  if (std::any_of(error.begin(), error.end(), [](double e) { return std::isnan(e); })) return;
  file.put(field.outer_sample, task.train.file_rows());
  file.put(field.outer_index, fold);
  file.put(field.outer_label, label);
  file.put(field.outer_prediction, predicted_rows(search, decision));
  file.put(field.outer_decision, decision);
  file.put_one(field.nested_error,
               std::accumulate(error.begin(), error.end(), 0.0) / static_cast<double>(error.size()));
}

void add_calibration(const storage::FieldWriter& file, const Calibration& calibration) {
  file.put(field.probability_a, run::column(calibration.sigmoid, &svm::Sigmoid::a));
  file.put(field.probability_b, run::column(calibration.sigmoid, &svm::Sigmoid::b));
  file.put_one(field.log_loss, calibration.log_loss);
  file.put_one(field.brier, calibration.brier);
}

void add_refit(storage::Container& content, const SvmLayout& search, const data::Task& task, const SvmStudy& study,
               const Record& record) {
  const RefitResult result = RefitResult::from_bytes(record.payload);
  content.attributes["refit_seconds"] = record.seconds;
  const storage::FieldWriter file(content);
  file.put(field.refit_converged, run::column(result.fit, &svm::FitSummary::converged));
  file.put(field.refit_n_support, run::column(result.fit, &svm::FitSummary::support));
  add_model(content, search, task, result,
            study.calibration() ? study.calibration()->sigmoid : std::vector<svm::Sigmoid>());
}

}  // namespace

std::string refine_group(int round) { return text("/refine/", round); }

void write_svm_result(const SvmLayout& search, const data::Task& task, const std::vector<Record>& records,
                      SvmStudy& study, storage::Container& content) {
  const Grid grid{search.gamma.size(), search.c.size(), static_cast<std::size_t>(search.folds.folds()),
                  static_cast<std::size_t>(search.classes), static_cast<std::size_t>(search.problems)};
  const storage::FieldWriter file(content);
  file.put(field.class_name, task.train.class_name);
  if (search.multiclass == svm::Multiclass::one_vs_one) {
    file.put(field.pair_name, svm::problem_names(search.multiclass, task.train.class_name));
  }
  for (const Record& record : records) study.on_record(record);
  add_search(file, search, records, study, grid);
  add_rounds(content, records, study, grid);
  const auto best = study.best();
  if (best) {
    add_best(file, records, study.rounds()[best->round], *best, grid);
    add_best_measures(file, search, records, study.rounds()[best->round], *best, grid);
  }
  if (study.calibration()) add_calibration(file, *study.calibration());
  if (search.outer_folds() > 0) add_nested(content, search, task, records, study, grid);
  if (!study.out_of_fold().empty()) add_out_of_fold(file, search, task, study.out_of_fold());
  if (!study.out_of_fold().empty() && study.calibration()) {
    file.put(field.out_probability, study.calibration()->probability);
  }
  if (!study.out_of_fold_failed().empty()) {
    content.attributes["out_of_fold_failed"] = study.out_of_fold_failed();
    if (search.params.probability) content.attributes["probability_failed"] = study.out_of_fold_failed();
  }
  for (const Record& record : records) {
    // A refit at another cell is from before failed units were computed again.
    if (!best || record.key != UnitKey{svm_unit_refit, {best->gamma, best->c, best->round}}) continue;
    if (record.status == Status::done) {
      add_refit(content, search, task, study, record);
    } else {
      content.attributes["refit_failed"] = record.reason;
    }
  }
}

}  // namespace krossfold::studies
