// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/result.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "krossfold/core/text.hpp"
#include "krossfold/studies/bag/ensemble_result.hpp"
#include "krossfold/studies/bag/payload.hpp"
#include "krossfold/studies/bag/schema.hpp"
#include "krossfold/studies/bag/units.hpp"

namespace krossfold::studies {

const BagSchema& bag_schema() {
  static const BagSchema schema;
  return schema;
}

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Sizes {
  std::size_t bootstraps, trials, folds;
  explicit Sizes(const BagLayout& search)
      : bootstraps(static_cast<std::size_t>(search.params.bootstraps)),
        trials(static_cast<std::size_t>(search.params.trials)),
        folds(static_cast<std::size_t>(search.folds.folds())) {}
  std::size_t units() const { return bootstraps * trials * folds; }
  std::size_t unit(const UnitKey& key) const {
    return (static_cast<std::size_t>(key.index[0]) * trials + key.index[1]) * folds + key.index[2];
  }
};

/// What the trials try.
void add_search(const storage::FieldWriter& file, const BagLayout& search) {
  const Sizes n(search);
  std::vector<std::int32_t> channels, kernel, hidden;
  std::vector<double> rate, momentum;
  for (int b = 0; b < search.params.bootstraps; ++b) {
    for (int t = 0; t < search.params.trials; ++t) {
      const Trial trial = draw_trial(search, b, t);
      channels.push_back(trial.channels);
      kernel.push_back(trial.kernel);
      hidden.push_back(trial.hidden);
      rate.push_back(trial.rate);
      momentum.push_back(trial.momentum);
    }
  }
  const BagSchema& field = bag_schema();
  file.put_index(field.bootstrap, n.bootstraps);
  file.put_index(field.trial, n.trials);
  file.put_index(field.fold, n.folds);
  file.put(field.channels, channels);
  file.put(field.kernel, kernel);
  file.put(field.hidden, hidden);
  file.put(field.rate, rate);
  file.put(field.momentum, momentum);
}

/// Everything of the (bootstrap, trial, fold) units.
void add_units(const storage::FieldWriter& file, const BagLayout& search, const std::vector<Record>& records,
               const BagStudy& study) {
  const Sizes n(search);
  run::UnitTable table(n.units());
  std::vector<double> loss(n.units(), nan);
  std::vector<std::int32_t> epochs(n.units(), 0), diverged(n.units(), 0);
  const std::vector<bool> pruned = study.pruned();
  for (const Record& record : records) {
    if (record.key.kind != bag_unit_trial) continue;
    const std::size_t u = n.unit(record.key);
    table.set(u, record);
    if (pruned[u] || record.status != Status::done) continue;
    const TrainingSummary training = TrialResult::from_bytes(record.payload).training;
    epochs[u] = static_cast<std::int32_t>(training.epoch_loss.size());
    if (!training.epoch_loss.empty()) loss[u] = training.epoch_loss.back();
    diverged[u] = training.diverged ? 1 : 0;
    if (training.diverged) table.reason[u] = training.reason;
  }
  for (std::size_t u = 0; u < n.units(); ++u) {
    if (!pruned[u]) continue;
    table.status[u] = run::status_pruned;
    table.reason[u] = "its first folds leave this trial no chance against one with a lower number";
  }
  const BagSchema& field = bag_schema();
  file.put(field.fold_error, study.fold_error());
  table.write(file, field.unit);
  file.put(field.epochs, epochs);
  file.put(field.loss, loss);
  file.put(field.diverged, diverged);
}

/// Everything of the final fits; what their models say goes to `answers`.
void add_finals(storage::Container& content, const BagLayout& search, const std::vector<Record>& records,
                const BagStudy& study, BagAnswers& answers) {
  const Sizes n(search);
  const auto epochs = static_cast<std::size_t>(search.params.epochs);
  run::UnitTable table(n.bootstraps);
  std::vector<double> unseen_error(n.bootstraps, nan), loss(n.bootstraps * epochs, nan);
  std::vector<std::int32_t> trial(n.bootstraps), diverged(n.bootstraps, 0), unseen(n.bootstraps, 0);
  std::vector<std::string> model(n.bootstraps), checksum(n.bootstraps);
  const std::vector<double> error = study.fold_error();
  for (int b = 0; b < search.params.bootstraps; ++b) {
    trial[b] = study.chosen(b).value_or(-1);
    if (trial[b] < 0) continue;
    double sum = 0;
    for (int f = 0; f < search.folds.folds(); ++f) sum += error[n.unit({bag_unit_trial, {b, trial[b], f}})];
    answers.validation_error[b] = sum / search.folds.folds();
  }
  for (const Record& record : records) {
    const auto b = static_cast<std::size_t>(record.key.index[0]);
    // A final fit of another trial is from before failed units were computed again.
    if (record.key.kind != bag_unit_final || b >= n.bootstraps || record.key.index[1] != trial[b]) continue;
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
  std::string models, checksums;
  for (std::size_t b = 0; b < n.bootstraps; ++b) {
    if (model[b].empty()) continue;
    models += (models.empty() ? "" : " ") + model[b];
    checksums += (checksums.empty() ? "" : " ") + checksum[b];
  }
  if (!models.empty()) {
    content.attributes["model"] = models;
    content.attributes["model_checksum"] = checksums;
  }
  const BagSchema& field = bag_schema();
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
  file.put(bag_schema().class_name, task.train.class_name);
  for (const Record& record : records) study.on_record(record);
  add_search(file, search);
  add_units(file, search, records, study);
  BagAnswers answers;
  answers.models = search.params.bootstraps;
  answers.classes = search.classes;
  const auto cells = static_cast<std::size_t>(answers.models) * answers.classes;
  answers.test.assign(cells * task.test.size(), std::numeric_limits<float>::quiet_NaN());
  answers.ood.assign(cells * ood.images.size(), std::numeric_limits<float>::quiet_NaN());
  answers.validation_error.assign(answers.models, nan);
  answers.validated_on = search.samples;
  add_finals(content, search, records, study, answers);
  if (task.test.size() > 0) add_ensemble(file, answers, task.test, ood);
}

}  // namespace krossfold::studies
