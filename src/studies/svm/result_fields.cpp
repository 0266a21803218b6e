// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/result_fields.hpp"

#include <algorithm>
#include <cmath>

#include "field.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/run/unit_table.hpp"
#include "krossfold/studies/svm/cell_measures.hpp"
#include "krossfold/svm/machine.hpp"

namespace krossfold::studies {

std::vector<std::int32_t> predicted_rows(const SvmLayout& search, const std::vector<double>& decision) {
  const Matrix<double> values("krossfold::studies::decision", decision.size() / search.problems, search.problems);
  std::copy(decision.begin(), decision.end(), values.data());
  return svm::predicted_classes(search.multiclass, search.classes, values);
}

void add_best_cell(const storage::FieldWriter& file, const SearchRound& round, const Cell& best) {
  file.put_one(field.best_round, best.round);
  file.put_one(field.best_gamma_index, best.gamma);
  file.put_one(field.best_c_index, best.c);
  file.put_one(field.best_gamma, round.gamma[best.gamma]);
  file.put_one(field.best_c, round.c[best.c]);
  file.put_one(field.best_error, best.error);
}

void add_measures_of(const storage::FieldWriter& file, const std::vector<FoldResult>& folds, std::size_t c,
                     int classes) {
  const auto k = static_cast<std::size_t>(classes);
  measures::Confusion pooled{classes, std::vector<double>(k * k, 0)};
  std::vector<double> sum(field.best_measure.size(), 0), measured(sum.size(), 0);
  for (const FoldResult& result : folds) {
    pooled += confusion_of(result, c, classes);
    for (std::size_t m = 0; m < sum.size(); ++m) {
      const measures::MeasureKind& kind = *cell_measures()[m + 1];
      // Without scores the result is that of several parts.
      if (kind.needs == measures::MeasureNeeds::scores && result.score.empty()) continue;
      const double value = values_of(kind, result, classes)[c];
      if (std::isnan(value)) continue;
      sum[m] += value;
      ++measured[m];
    }
  }
  for (std::size_t m = 0; m < sum.size(); ++m) file.put_one(field.best_measure[m], sum[m] / measured[m]);
  if (std::all_of(pooled.weight.begin(), pooled.weight.end(), [](double n) { return n == 0; })) return;
  file.put_index(field.best_predicted, k);
  file.put(field.best_confusion, std::vector<std::int32_t>(pooled.weight.begin(), pooled.weight.end()));
}

void add_out_of_fold(const storage::FieldWriter& file, const SvmLayout& search, const data::Task& task,
                     const std::vector<double>& decision) {
  const int n = search.samples, repeats = search.folds.repeats, folds = search.folds.folds() / repeats;
  const std::vector<int> rows = task.train.file_rows();
  std::vector<std::int32_t> fold(static_cast<std::size_t>(n) * repeats), label, sample;
  for (int f = 0; f < search.folds.folds(); ++f) {
    for (const int i : search.folds.held[f]) fold[static_cast<std::size_t>(f / folds) * n + i] = f;
  }
  for (int r = 0; r < repeats; ++r) {
    for (int i = 0; i < n; ++i) label.push_back(task.train.label(i));
    sample.insert(sample.end(), rows.begin(), rows.end());
  }
  file.put(field.out_sample, sample);
  file.put(field.out_fold, fold);
  file.put(field.out_label, label);
  file.put(field.out_prediction, predicted_rows(search, decision));
  file.put(field.out_decision, decision);
}

void add_model(storage::Container& content, const data::Task& task, const RefitResult& result) {
  content.attributes["model"] = result.model_name;
  content.attributes["model_size"] = static_cast<std::int64_t>(result.model_size);
  content.attributes["model_checksum"] = text(std::hex, result.model_checksum);
  const auto n = static_cast<std::size_t>(task.test.size()), classes = static_cast<std::size_t>(task.train.classes());
  if (n == 0) return;
  const storage::FieldWriter file(content);
  std::vector<std::int32_t> label(n), confusion(classes * classes, 0);
  for (std::size_t i = 0; i < n; ++i) {
    label[i] = task.test.label(i);
    ++confusion[static_cast<std::size_t>(label[i]) * classes + static_cast<std::size_t>(result.prediction[i])];
  }
  file.put_one(field.test_error, static_cast<double>(result.wrong) / static_cast<double>(n));
  file.put(field.test_sample, task.test.file_rows());
  file.put(field.test_label, label);
  file.put(field.test_prediction, std::vector<std::int32_t>(result.prediction));
  file.put_index(field.test_predicted, classes);
  file.put(field.test_confusion, confusion);
}

}  // namespace krossfold::studies
