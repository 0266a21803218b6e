// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/result.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "field.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/studies/bag/ensemble_result.hpp"

namespace krossfold::studies {

namespace {

/// Writes the hyperparameters of all trials.
void add_search(const storage::FieldWriter& file, const BagLayout& search) {
  std::vector<Trial> trials;
  for (int b = 0; b < search.params.bootstraps; ++b) {
    for (int t = 0; t < search.params.trials; ++t) trials.push_back(draw_trial(search, b, t));
  }
  file.put_index(field.bootstrap, static_cast<std::size_t>(search.params.bootstraps));
  file.put_index(field.trial, static_cast<std::size_t>(search.params.trials));
  file.put_index(field.fold, static_cast<std::size_t>(search.folds.folds()));
  file.put(field.channels, run::column(trials, &Trial::channels));
  file.put(field.kernel, run::column(trials, &Trial::kernel));
  file.put(field.hidden, run::column(trials, &Trial::hidden));
  file.put(field.rate, run::column(trials, &Trial::rate));
  file.put(field.momentum, run::column(trials, &Trial::momentum));
}

/// Writes the (bootstrap, trial, fold) units.
void add_units(const storage::FieldWriter& file, const BagLayout& search, const std::vector<Record>& records,
               const BagStudy& study) {
  const std::size_t units = search.units();
  run::UnitTable table(units);
  std::vector<double> loss(units, run::not_computed);
  std::vector<std::int32_t> epochs(units, 0), diverged(units, 0);
  const std::vector<bool> pruned = study.pruned();
  for (const Record& record : records) {
    if (record.key.kind != bag_unit_trial) continue;
    const auto& [b, t, f] = record.key.index;
    const std::size_t u = search.unit(b, t, f);
    table.set(u, record);
    if (pruned[u] || record.status != Status::done) continue;
    const TrainingSummary training = TrialResult::from_bytes(record.payload).training;
    epochs[u] = static_cast<std::int32_t>(training.epoch_loss.size());
    if (!training.epoch_loss.empty()) loss[u] = training.epoch_loss.back();
    diverged[u] = training.diverged ? 1 : 0;
    if (training.diverged) table.reason[u] = training.reason;
  }
  for (std::size_t u = 0; u < units; ++u) {
    if (!pruned[u]) continue;
    table.status[u] = run::status_pruned;
    table.reason[u] = "its first folds leave this trial no chance against one with a lower number";
  }
  file.put(field.fold_error, study.fold_error());
  table.write(file, field.unit);
  file.put(field.epochs, epochs);
  file.put(field.loss, loss);
  file.put(field.diverged, diverged);
}

/// The words that are not empty, separated by blanks.
std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) {
    if (!word.empty()) all += (all.empty() ? "" : " ") + word;
  }
  return all;
}

/// Writes the final fits and collects the predictions of their networks in `answers`.
void add_finals(storage::Container& content, const BagLayout& search, const std::vector<Record>& records,
                const BagStudy& study, BagAnswers& answers) {
  const auto bootstraps = static_cast<std::size_t>(search.params.bootstraps);
  const auto epochs = static_cast<std::size_t>(search.params.epochs);
  run::UnitTable table(bootstraps);
  std::vector<double> unseen_error(bootstraps, run::not_computed), loss(bootstraps * epochs, run::not_computed);
  std::vector<std::int32_t> trial(bootstraps), diverged(bootstraps, 0), unseen(bootstraps, 0);
  std::vector<std::string> model(bootstraps), checksum(bootstraps);
  const std::vector<double> error = study.fold_error();
  for (int b = 0; b < search.params.bootstraps; ++b) {
    trial[b] = study.chosen(b).value_or(-1);
    if (trial[b] < 0) continue;
    const auto first = error.begin() + static_cast<std::ptrdiff_t>(search.unit(b, trial[b], 0));
    answers.validation_error[b] = std::accumulate(first, first + search.folds.folds(), 0.0) / search.folds.folds();
  }
  for (const Record& record : records) {
    const auto b = static_cast<std::size_t>(record.key.index[0]);
    // A final fit of another trial is from before failed units were computed again.
    if (record.key.kind != bag_unit_final || b >= bootstraps || record.key.index[1] != trial[b]) continue;
    table.set(b, record);
    if (record.status != Status::done) continue;
    const FinalResult result = FinalResult::from_bytes(record.payload);
    const auto put = [b](const auto& from, std::size_t length, auto& to) {
      std::copy_n(from.begin(), std::min(from.size(), length), to.begin() + static_cast<std::ptrdiff_t>(b * length));
    };
    put(result.training.epoch_loss, epochs, loss);
    unseen[b] = result.out_of_bag;
    diverged[b] = result.training.diverged ? 1 : 0;
    if (result.training.diverged) {
      table.reason[b] = result.training.reason;
      continue;
    }
    if (result.out_of_bag > 0) unseen_error[b] = static_cast<double>(result.out_of_bag_wrong) / result.out_of_bag;
    model[b] = result.model_name;
    checksum[b] = text(std::hex, result.model_checksum);
    put(result.probability, result.probability.size(), answers.test);
    put(result.ood_probability, result.ood_probability.size(), answers.ood);
  }
  const std::string models = joined(model);
  if (!models.empty()) {
    content.attributes["model"] = models;
    content.attributes["model_checksum"] = joined(checksum);
  }
  const storage::FieldWriter file(content);
  file.put_index(field.epoch, epochs);
  file.put(field.final_trial, trial);
  file.put(field.validation_error, answers.validation_error);
  table.write(file, field.final_unit);
  file.put(field.final_diverged, diverged);
  file.put(field.epoch_loss, loss);
  file.put(field.out_of_bag, unseen);
  file.put(field.out_of_bag_error, unseen_error);
  file.put(field.model, model);
  file.put(field.model_checksum, checksum);
}

}  // namespace

void write_bag_result(const BagLayout& search, const data::Task& task, const OodImages& ood,
                      const std::vector<Record>& records, BagStudy& study, storage::Container& content) {
  content.attributes["image_width"] = std::int64_t{search.image.width};
  content.attributes["image_height"] = std::int64_t{search.image.height};
  content.attributes["image_channels"] = std::int64_t{search.image.channels};
  const storage::FieldWriter file(content);
  file.put(field.class_name, task.train.class_name);
  for (const Record& record : records) study.on_record(record);
  add_search(file, search);
  add_units(file, search, records, study);
  BagAnswers answers{.models = search.params.bootstraps, .classes = search.classes, .validated_on = search.samples};
  const auto cells = static_cast<std::size_t>(answers.models) * answers.classes;
  answers.test.assign(cells * task.test.size(), std::numeric_limits<float>::quiet_NaN());
  answers.ood.assign(cells * ood.images.size(), std::numeric_limits<float>::quiet_NaN());
  answers.validation_error.assign(answers.models, run::not_computed);
  add_finals(content, search, records, study, answers);
  if (task.test.size() > 0) add_ensemble(file, answers, task.test, ood);
}

}  // namespace krossfold::studies
