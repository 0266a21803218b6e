// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/result_fields.hpp"

#include <algorithm>
#include <cmath>

#include "field.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/measures/measures.hpp"
#include "krossfold/measures/probability_measures.hpp"
#include "krossfold/run/unit_table.hpp"
#include "krossfold/studies/svm/calibration.hpp"
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

namespace {

/// The decision values of the test samples, their probabilities, and the measures of both.
void add_test_scores(storage::Container& content, const SvmLayout& search, const RefitResult& result,
                     const data::Dataset& test, const std::vector<int>& truth,
                     const std::vector<svm::Sigmoid>& sigmoid) {
  const std::size_t n = truth.size(), problems = static_cast<std::size_t>(search.problems);
  const auto is_finite = [](double f) { return std::isfinite(f); };
  const auto infinite = std::find_if_not(result.decision.begin(), result.decision.end(), is_finite);
  if (infinite != result.decision.end()) {
    const auto sample = static_cast<std::size_t>(infinite - result.decision.begin()) / problems;
    content.attributes["test_decision_failed"] =
        text("that of test sample ", test.file_rows()[sample] + 1, " is not finite");
    return;
  }
  const storage::FieldWriter file(content);
  file.put(field.test_decision, result.decision);
  const Matrix<double> by_problem("krossfold::studies::test_decision", problems, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t p = 0; p < problems; ++p) by_problem(p, i) = result.decision[i * problems + p];
  }
  const std::vector<double> score = class_scores(search.multiclass, search.classes, by_problem, 0, n);
  file.put_one(field.test_roc_auc, measures::measure(measures::parse_measure("roc-auc"),
                                                     {.classes = search.classes, .truth = truth, .score = score}));
  if (sigmoid.empty()) return;
  std::vector<double> probability = class_probabilities(search, sigmoid, result.decision);
  file.put_one(field.test_log_loss, measures::log_loss(truth, probability, search.classes));
  file.put_one(field.test_brier, measures::brier_score(truth, probability, search.classes));
  file.put(field.test_probability, std::move(probability));
}

}  // namespace

void add_model(storage::Container& content, const SvmLayout& search, const data::Task& task, const RefitResult& result,
               const std::vector<svm::Sigmoid>& sigmoid) {
  content.attributes["model"] = result.model_name;
  content.attributes["model_size"] = static_cast<std::int64_t>(result.model_size);
  content.attributes["model_checksum"] = text(std::hex, result.model_checksum);
  const auto n = static_cast<std::size_t>(task.test.size()), classes = static_cast<std::size_t>(task.train.classes());
  if (n == 0) return;
  const auto is_class = [&](int k) { return k >= 0 && k < search.classes; };
  if (result.prediction.size() != n || !std::all_of(result.prediction.begin(), result.prediction.end(), is_class) ||
      (!result.decision.empty() && result.decision.size() != n * static_cast<std::size_t>(search.problems)))
    throw_run_error("the result of the refit is damaged", "its predictions are not those of the test part");
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
  if (!result.decision.empty()) add_test_scores(content, search, result, task.test, label, sigmoid);
}

}  // namespace krossfold::studies
