// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/parts_result.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "field.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/studies/svm/cell_measures.hpp"
#include "krossfold/studies/svm/result_fields.hpp"
#include "krossfold/svm/machine.hpp"

namespace krossfold::studies {

namespace {

/// Writes the grid over all parts.
void add_grid(const storage::FieldWriter& file, const PartsLayout& search, const PartsStudy& study) {
  const std::size_t gammas = search.whole.gamma.size(), cs = search.whole.c.size(),
                    folds = search.whole.folds.held.size();
  file.put(field.gamma, search.whole.gamma);
  file.put(field.c, search.whole.c);
  file.put_index(field.fold, folds);
  file.put(field.fold_error, study.round().fold_error);
  for (std::size_t m = 0; m < field.measure.size(); ++m) {
    const measures::MeasureKind& kind = *cell_measures()[m + 1];
    if (kind.needs == measures::MeasureNeeds::scores) continue;  // those of different parts are no order of all samples
    std::vector<double> measure(gammas * cs * folds, run::not_computed);
    for (std::size_t g = 0; g < gammas; ++g) {
      for (std::size_t f = 0; f < folds; ++f) {
        const auto all = study.pooled_at(static_cast<int>(g), static_cast<int>(f));
        if (!all) continue;
        const std::vector<double> values = values_of(kind, *all, search.whole.classes);
        for (std::size_t c = 0; c < cs; ++c) measure[(g * cs + c) * folds + f] = values[c];
      }
    }
    file.put(field.measure[m], measure);
  }
}

/// Writes what is known of each part, but for what follows the search.
void add_parts(const storage::FieldWriter& file, const PartsLayout& search, const data::Task& task,
               const std::vector<Record>& records, const PartsStudy& study) {
  const std::size_t gammas = search.whole.gamma.size(), folds = search.whole.folds.held.size(),
                    parts = static_cast<std::size_t>(search.parts());
  std::vector<std::int32_t> samples, classes;
  for (const std::vector<int>& part : search.partition.sample) {
    std::set<int> present;
    for (const int i : part) present.insert(task.train.label(i));
    samples.push_back(static_cast<std::int32_t>(part.size()));
    classes.push_back(static_cast<std::int32_t>(present.size()));
  }
  run::UnitTable table(parts * gammas * folds);
  for (const Record& record : records) {
    if (record.key.kind != svm_unit_part_fold) continue;
    const auto& index = record.key.index;
    table.set((static_cast<std::size_t>(index[0]) * gammas + static_cast<std::size_t>(index[1])) * folds +
                  static_cast<std::size_t>(index[2]),
              record);
  }
  std::vector<std::int32_t> held;
  for (int p = 0; p < search.parts(); ++p) {
    for (int f = 0; f < search.whole.folds.folds(); ++f) held.push_back(search.held(p, f));
  }
  file.put_index(field.part, parts);
  file.put(field.part_held, held);
  file.put(field.part_samples, samples);
  file.put(field.part_classes, classes);
  table.write(file, field.part_unit);
  const std::vector<int> open = study.not_converged();
  file.put(field.part_not_converged, std::vector<std::int32_t>(open.begin(), open.end()));
  file.put(field.part_cell_error, study.cell_error());
}

/// Writes the cells chosen and what they predict of the held-out samples.
void add_cells(const storage::FieldWriter& file, const PartsLayout& search, const PartsStudy& study) {
  const std::vector<PartOutcome> outcome = study.outcome();
  const auto common = study.common();
  if (common && !search.own_cells) {
    add_best_cell(file, study.round(), *common);
    const SearchRound& round = study.round();
    if (const auto choice = choose_cell(round.fold_error, round.selected, static_cast<int>(round.gamma.size()),
                                        static_cast<int>(round.c.size()), search.whole.folds.folds(),
                                        search.whole.selection.measure->better)) {
      file.put_one(field.best_tied, choice->tied);
      file.put_one(field.best_within, choice->within);
    }
  }
  if (outcome.empty()) return;
  std::vector<double> gamma, c, error;
  for (const PartOutcome& one : outcome) {
    gamma.push_back(search.whole.gamma[static_cast<std::size_t>(one.cell.gamma)]);
    c.push_back(search.whole.c[static_cast<std::size_t>(one.cell.c)]);
    error.push_back(static_cast<double>(one.wrong) / one.held);
  }
  file.put(field.part_gamma, gamma);
  file.put(field.part_c, c);
  file.put(field.part_error, error);
  const std::vector<FoldResult> chosen = study.chosen();
  if (search.own_cells) {
    std::vector<double> of_fold;
    for (const FoldResult& one : chosen) {
      of_fold.push_back(values_of(*cell_measures().front(), one, search.whole.classes)[0]);
    }
    file.put_one(field.best_error,
                 std::accumulate(of_fold.begin(), of_fold.end(), 0.0) / static_cast<double>(of_fold.size()));
    file.put(field.best_fold_error, of_fold);
  }
  add_measures_of(file, chosen, 0, search.whole.classes);
}

/// Writes the out-of-fold units and the refits of the cells chosen, and the model.
void add_machines(storage::Container& content, const PartsLayout& search, const data::Task& task,
                  const std::vector<Record>& records, const PartsStudy& study) {
  const auto parts = static_cast<std::size_t>(search.parts()), folds = search.whole.folds.held.size();
  std::vector<double> decided(parts * folds, run::not_computed), refitted(parts, run::not_computed);
  std::vector<std::int32_t> open(parts, 0), support(parts, 0);
  std::size_t refits = 0;
  const storage::FieldWriter file(content);
  for (const Record& record : records) {
    const auto p = static_cast<std::size_t>(record.key.index[0]);
    if (record.key.kind == svm_unit_part_out_of_fold && p < parts &&
        record.key == study.out_of_fold_key(record.key.index[0], record.key.index[2])) {
      decided[p * folds + static_cast<std::size_t>(record.key.index[2])] = record.seconds;
    }
    if (record.key.kind == svm_unit_part_refit && p < parts && record.key == study.refit_key(record.key.index[0])) {
      refitted[p] = record.seconds;
      if (record.status != Status::done) continue;
      const RefitResult result = RefitResult::from_bytes(record.payload);
      for (const svm::FitSummary& fit : result.fit) open[p] += fit.converged == 0 ? 1 : 0;
      support[p] = result.support;
      ++refits;
    }
    if (record.key != study.model_key()) continue;
    content.attributes["refit_seconds"] = record.seconds;
    if (record.status != Status::done) {
      content.attributes["refit_failed"] = record.reason;
      continue;
    }
    add_model(content, search.whole, task, RefitResult::from_bytes(record.payload));
    if (search.partition.kind == svm::PartitionKind::voronoi && task.test.size() > 0) {
      file.put(field.test_part, svm::nearest_centre(search.partition.centre, search.whole.scale, task.test));
    }
  }
  file.put(field.part_out_seconds, decided);
  if (!search.whole.params.refit) return;
  file.put(field.part_refit_seconds, refitted);
  if (refits < parts) return;
  file.put(field.part_refit_open, open);
  file.put(field.part_support, support);
}

}  // namespace

void write_parts_result(const PartsLayout& search, const data::Task& task, const std::vector<Record>& records,
                        PartsStudy& study, storage::Container& content) {
  const storage::FieldWriter file(content);
  file.put(field.class_name, task.train.class_name);
  if (search.whole.multiclass == svm::Multiclass::one_vs_one) {
    file.put(field.pair_name, svm::problem_names(search.whole.multiclass, task.train.class_name));
  }
  for (const Record& record : records) study.on_record(record);
  add_grid(file, search, study);
  add_parts(file, search, task, records, study);
  add_cells(file, search, study);
  if (!study.outcome().empty()) add_machines(content, search, task, records, study);
  if (!study.out_of_fold().empty()) {
    add_out_of_fold(file, search.whole, task, study.out_of_fold());
    std::vector<std::int32_t> part(static_cast<std::size_t>(search.whole.samples));
    for (int p = 0; p < search.parts(); ++p) {
      for (const int i : search.partition.sample[p]) part[static_cast<std::size_t>(i)] = p;
    }
    std::vector<std::int32_t> repeated;
    for (int r = 0; r < search.whole.folds.repeats; ++r) repeated.insert(repeated.end(), part.begin(), part.end());
    file.put(field.out_part, repeated);
  }
  if (!study.out_of_fold_failed().empty()) content.attributes["out_of_fold_failed"] = study.out_of_fold_failed();
  if (!study.refit_failed().empty()) content.attributes["refit_failed"] = study.refit_failed();
}

}  // namespace krossfold::studies
