// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/train_result.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "krossfold/core/text.hpp"
#include "krossfold/storage/schema.hpp"
#include "krossfold/study/run_attributes.hpp"
#include "krossfold/study/train_records.hpp"

namespace krossfold::study {

namespace {

namespace field = storage::field;

/// What the result file has of the runs.
struct Tables {
  std::size_t runs, epochs;
  std::vector<double> loss, held_out_loss, held_out_error, seconds, comm_seconds;  ///< (run, epoch)
  std::vector<std::int32_t> status, ranks, epoch_ranks;
  std::vector<std::string> reason, model, checksum;

  Tables(std::size_t run_count, std::size_t epoch_count) : runs(run_count), epochs(epoch_count) {
    for (auto* values : {&loss, &held_out_loss, &held_out_error, &seconds, &comm_seconds}) {
      values->assign(runs * epochs, std::numeric_limits<double>::quiet_NaN());
    }
    status.assign(runs, 0);
    ranks.assign(runs, 1);
    epoch_ranks.assign(runs * epochs, 0);
    for (auto* values : {&reason, &model, &checksum}) values->assign(runs, "");
  }

  void put(std::vector<double>& table, std::size_t run, const std::vector<double>& values) const {
    std::copy_n(values.begin(), std::min(values.size(), epochs),
                table.begin() + static_cast<std::ptrdiff_t>(run * epochs));
  }

  void add(std::size_t run, const TrainRecord& result) {
    put(loss, run, result.loss);
    put(held_out_loss, run, result.held_out_loss);
    put(held_out_error, run, result.held_out_error);
    put(seconds, run, result.seconds);
    put(comm_seconds, run, result.comm_seconds);
    ranks[run] = result.ranks;
    for (std::size_t e = 0; e < std::min(result.epoch_ranks.size(), epochs); ++e) {
      epoch_ranks[run * epochs + e] = static_cast<std::int32_t>(result.epoch_ranks[e]);
    }
    if (result.diverged) reason[run] = result.reason;
    for (const auto& file : result.model) {
      const char* gap = model[run].empty() ? "" : " ";
      model[run] += gap + file.name;
      checksum[run] += gap + text(std::hex, file.checksum);
    }
  }
};

template <class T, class Value>
storage::Array of_runs(const storage::Field& field, const TrainRuns& runs, const Value& value) {
  std::vector<T> values;
  for (const TrainPlan& plan : runs.run) values.push_back(value(plan));
  return make_array(field, {values.size()}, values);
}

}  // namespace

storage::Container make_train_result(const TrainRuns& runs, const TrainTask& task, const std::vector<Record>& records,
                                     const RunFacts& facts) {
  storage::Container content;
  const TrainPlan& first = runs.run.front();
  const bool names = task.has_names();
  const DataFacts data{names ? task.names.train.source : task.samples.train.name, task.train_size(),
                       task.held_out_size(), names ? first.params.window : task.samples.train.features()};
  add_run_attributes(content, {runs.kind, to_json(runs.options), first.params.seed, ""}, data, facts);
  content.attributes["network"] = first.params.network;
  content.attributes["architecture"] = first.describe();
  content.attributes["parameters"] = first.parameters();
  std::size_t epochs = 0;
  for (const TrainPlan& plan : runs.run) epochs = std::max(epochs, static_cast<std::size_t>(plan.params.epochs));
  Tables tables(runs.run.size(), epochs);
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  double best = none;
  for (const Record& record : records) {
    const auto run = static_cast<std::size_t>(record.key.index[0]);
    tables.status[run] = static_cast<std::int32_t>(record.status);
    tables.reason[run] = record.reason;
    if (record.status != Status::done) continue;
    const TrainRecord result = TrainRecord::from_bytes(record.payload);
    tables.add(run, result);
    if (result.model.empty()) continue;
    const double held_out = result.held_out_loss.empty() ? none : result.held_out_loss.back();
    if (content.attributes.contains("model") && !(held_out < best)) continue;
    best = std::isnan(held_out) ? std::numeric_limits<double>::infinity() : held_out;
    content.attributes["model"] = tables.model[run];
    content.attributes["model_checksum"] = tables.checksum[run];
  }
  using Plan = const TrainPlan&;
  auto& arrays = content.arrays;
  const std::uint64_t n = tables.runs;
  arrays.push_back(of_runs<std::int32_t>(field::run_workers, runs, [](Plan p) { return p.params.workers; }));
  arrays.push_back(make_array(field::run_ranks, {n}, tables.ranks));
  arrays.push_back(of_runs<std::int32_t>(field::run_batch, runs, [](Plan p) { return p.params.batch; }));
  arrays.push_back(of_runs<double>(field::run_rate, runs, [](Plan p) { return *p.params.rate; }));
  arrays.push_back(of_runs<std::string>(field::run_strategy, runs, [](Plan p) { return p.params.strategy; }));
  arrays.push_back(of_runs<std::int64_t>(field::run_summed, runs, [](Plan p) { return p.exchanged().summed; }));
  arrays.push_back(of_runs<std::int64_t>(field::run_gathered, runs, [](Plan p) { return p.exchanged().gathered; }));
  arrays.push_back(of_runs<std::int32_t>(field::run_sums, runs, [](Plan p) { return p.exchanged().sums; }));
  arrays.push_back(of_runs<std::int32_t>(field::run_gathers, runs, [](Plan p) { return p.exchanged().gathers; }));
  arrays.push_back(of_runs<double>(field::run_replicated, runs, [](Plan p) { return p.exchanged().replicated; }));
  arrays.push_back(make_array(field::run_status, {n}, tables.status));
  arrays.push_back(make_array(field::run_reason, {n}, tables.reason));
  arrays.push_back(make_array(field::run_model, {n}, tables.model));
  arrays.push_back(make_array(field::run_model_checksum, {n}, tables.checksum));
  arrays.push_back(make_array(field::training_loss, {n, epochs}, tables.loss));
  arrays.push_back(make_array(field::training_held_out_loss, {n, epochs}, tables.held_out_loss));
  if (!names) arrays.push_back(make_array(field::training_held_out_error, {n, epochs}, tables.held_out_error));
  arrays.push_back(make_array(field::training_ranks, {n, epochs}, tables.epoch_ranks));
  arrays.push_back(make_array(field::training_seconds, {n, epochs}, tables.seconds));
  arrays.push_back(make_array(field::training_comm_seconds, {n, epochs}, tables.comm_seconds));
  return content;
}

}  // namespace krossfold::study
