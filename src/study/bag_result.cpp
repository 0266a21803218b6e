// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/bag_result.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "krossfold/core/text.hpp"
#include "krossfold/storage/schema.hpp"
#include "krossfold/study/bag_ensemble.hpp"
#include "krossfold/study/bag_records.hpp"
#include "krossfold/study/bag_study.hpp"
#include "krossfold/study/run_attributes.hpp"

namespace krossfold::study {

namespace {

namespace field = storage::field;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int32_t status_pruned = 3;

std::vector<std::int32_t> counted(std::size_t n) {
  std::vector<std::int32_t> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<std::int32_t>(i);
  return numbers;
}

/// What the trials try.
void add_search(storage::Container& content, const BagSearch& search) {
  const auto bootstraps = static_cast<std::size_t>(search.params.bootstraps),
             trials = static_cast<std::size_t>(search.params.trials),
             folds = static_cast<std::size_t>(search.folds.folds());
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
  auto& arrays = content.arrays;
  arrays.push_back(make_array(field::search_bootstrap, {bootstraps}, counted(bootstraps)));
  arrays.push_back(make_array(field::search_trial, {trials}, counted(trials)));
  arrays.push_back(make_array(field::search_fold, {folds}, counted(folds)));
  const std::vector<std::uint64_t> shape{bootstraps, trials};
  const std::vector<std::string> scales{field::search_bootstrap.path, field::search_trial.path};
  arrays.push_back(make_array(field::search_channels, shape, channels, scales));
  arrays.push_back(make_array(field::search_kernel, shape, kernel, scales));
  arrays.push_back(make_array(field::search_hidden, shape, hidden, scales));
  arrays.push_back(make_array(field::search_rate, shape, rate, scales));
  arrays.push_back(make_array(field::search_momentum, shape, momentum, scales));
}

/// Everything of the (bootstrap, trial, fold) units.
void add_units(storage::Container& content, const BagSearch& search, const std::vector<Record>& records,
               const BagStudy& study) {
  const auto trials = static_cast<std::size_t>(search.params.trials),
             folds = static_cast<std::size_t>(search.folds.folds());
  const std::vector<std::uint64_t> shape{static_cast<std::uint64_t>(search.params.bootstraps), trials, folds};
  const std::size_t units = shape[0] * trials * folds;
  std::vector<double> seconds(units, nan), started(units, nan), loss(units, nan);
  std::vector<std::int32_t> rank(units, -1), status(units, 0), epochs(units, 0), diverged(units, 0);
  std::vector<std::string> reason(units);
  const std::vector<bool> pruned = study.pruned();
  for (const Record& record : records) {
    if (record.key.kind != bag_unit_trial) continue;
    const auto& [b, t, f] = record.key.index;
    const std::size_t u = (static_cast<std::size_t>(b) * trials + t) * folds + f;
    seconds[u] = record.seconds;
    started[u] = record.started;
    rank[u] = record.rank;
    if (pruned[u]) continue;
    status[u] = static_cast<std::int32_t>(record.status);
    reason[u] = record.reason;
    if (record.status != Status::done) continue;
    const TrialResult result = TrialResult::from_bytes(record.payload);
    epochs[u] = static_cast<std::int32_t>(result.training.epoch_loss.size());
    if (!result.training.epoch_loss.empty()) loss[u] = result.training.epoch_loss.back();
    diverged[u] = result.training.diverged ? 1 : 0;
    if (result.training.diverged) reason[u] = result.training.reason;
  }
  for (std::size_t u = 0; u < units; ++u) {
    if (!pruned[u]) continue;
    status[u] = status_pruned;
    reason[u] = "its first folds leave this trial no chance against one with a lower number";
  }
  const std::vector<std::string> scales{field::search_bootstrap.path, field::search_trial.path,
                                        field::search_fold.path};
  auto& arrays = content.arrays;
  arrays.push_back(make_array(field::fold_error, shape, study.fold_error(), scales));
  arrays.push_back(make_array(field::unit_seconds, shape, seconds, scales));
  arrays.push_back(make_array(field::unit_rank, shape, rank, scales));
  arrays.push_back(make_array(field::unit_started, shape, started, scales));
  arrays.push_back(make_array(field::unit_status, shape, status, scales));
  arrays.push_back(make_array(field::unit_reason, shape, reason, scales));
  arrays.push_back(make_array(field::fit_epochs, shape, epochs, scales));
  arrays.push_back(make_array(field::fit_loss, shape, loss, scales));
  arrays.push_back(make_array(field::fit_diverged, shape, diverged, scales));
}

/// Everything of the final fits; what their models say goes to `answers`.
void add_finals(storage::Container& content, const BagSearch& search, const std::vector<Record>& records,
                const BagStudy& study, BagAnswers& answers) {
  const auto n = static_cast<std::size_t>(search.params.bootstraps);
  const auto epochs = static_cast<std::size_t>(search.params.epochs);
  std::vector<double> seconds(n, nan), started(n, nan), unseen_error(n, nan), loss(n * epochs, nan);
  std::vector<std::int32_t> trial(n, -1), rank(n, -1), status(n, 0), diverged(n, 0), unseen(n, 0);
  std::vector<std::string> reason(n), model(n), checksum(n);
  for (int b = 0; b < search.params.bootstraps; ++b) trial[b] = study.chosen(b).value_or(-1);
  std::string models;
  for (const Record& record : records) {
    const auto b = static_cast<std::size_t>(record.key.index[0]);
    // A final fit of another trial is from before failed units were computed again.
    if (record.key.kind != bag_unit_final || b >= n || record.key.index[1] != trial[b]) continue;
    seconds[b] = record.seconds;
    started[b] = record.started;
    rank[b] = record.rank;
    status[b] = static_cast<std::int32_t>(record.status);
    reason[b] = record.reason;
    if (record.status != Status::done) continue;
    const FinalResult result = FinalResult::from_bytes(record.payload);
    const auto& losses = result.training.epoch_loss;
    std::copy_n(losses.begin(), std::min(losses.size(), epochs),
                loss.begin() + static_cast<std::ptrdiff_t>(b * epochs));
    unseen[b] = result.out_of_bag;
    diverged[b] = result.training.diverged ? 1 : 0;
    if (result.training.diverged) {
      reason[b] = result.training.reason;
      continue;
    }
    if (result.out_of_bag > 0) unseen_error[b] = static_cast<double>(result.out_of_bag_wrong) / result.out_of_bag;
    model[b] = result.model_name;
    checksum[b] = text(std::hex, result.model_checksum);
    const auto put = [b](const std::vector<float>& from, std::vector<float>& to) {
      std::copy(from.begin(), from.end(), to.begin() + static_cast<std::ptrdiff_t>(b * from.size()));
    };
    put(result.probability, answers.test);
    put(result.ood_probability, answers.ood);
  }
  const std::vector<double> error = study.fold_error();
  for (int b = 0; b < search.params.bootstraps; ++b) {
    if (trial[b] < 0) continue;
    const std::size_t first = (static_cast<std::size_t>(b) * search.params.trials + trial[b]) * search.folds.folds();
    double sum = 0;
    for (int f = 0; f < search.folds.folds(); ++f) sum += error[first + f];
    answers.validation_error[b] = sum / search.folds.folds();
  }
  const std::vector<std::string> scale{field::search_bootstrap.path};
  auto& arrays = content.arrays;
  arrays.push_back(make_array(field::final_trial, {n}, trial, scale));
  arrays.push_back(make_array(field::final_validation_error, {n}, answers.validation_error, scale));
  arrays.push_back(make_array(field::final_seconds, {n}, seconds, scale));
  arrays.push_back(make_array(field::final_rank, {n}, rank, scale));
  arrays.push_back(make_array(field::final_started, {n}, started, scale));
  arrays.push_back(make_array(field::final_status, {n}, status, scale));
  arrays.push_back(make_array(field::final_reason, {n}, reason, scale));
  arrays.push_back(make_array(field::final_diverged, {n}, diverged, scale));
  arrays.push_back(make_array(field::final_epoch_loss, {n, epochs}, loss, {field::search_bootstrap.path, ""}));
  arrays.push_back(make_array(field::final_out_of_bag, {n}, unseen, scale));
  arrays.push_back(make_array(field::final_out_of_bag_error, {n}, unseen_error, scale));
  arrays.push_back(make_array(field::final_model, {n}, model, scale));
  arrays.push_back(make_array(field::final_model_checksum, {n}, checksum, scale));
}

}  // namespace

storage::Container make_bag_result(const BagSearch& search, const data::Task& task, const OodImages& ood,
                                   const std::vector<Record>& records, const RunFacts& facts) {
  storage::Container content;
  add_run_attributes(content, {"bag", to_json(options_of(search.params)), search.params.seed, search.params.fold_kind},
                     task, facts);
  content.arrays.push_back(make_array(field::class_name, {static_cast<std::uint64_t>(search.classes)},
                                      std::vector<std::string>(task.train.class_name)));
  BagStudy study(search);
  for (const Record& record : records) study.on_record(record);
  add_search(content, search);
  add_units(content, search, records, study);
  BagAnswers answers;
  answers.models = search.params.bootstraps;
  answers.classes = search.classes;
  const auto cells = static_cast<std::size_t>(answers.models) * answers.classes;
  answers.test.assign(cells * task.test.size(), std::numeric_limits<float>::quiet_NaN());
  answers.ood.assign(cells * ood.images.size(), std::numeric_limits<float>::quiet_NaN());
  answers.validation_error.assign(answers.models, nan);
  answers.validated_on = search.samples;
  add_finals(content, search, records, study, answers);
  if (task.test.size() > 0) add_ensemble(content, answers, task.test, ood);
  return content;
}

}  // namespace krossfold::study
