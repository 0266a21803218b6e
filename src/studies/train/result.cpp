// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/result.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "krossfold/core/text.hpp"
#include "krossfold/studies/train/payload.hpp"
#include "krossfold/studies/train/schema.hpp"

namespace krossfold::studies {

const TrainSchema& train_schema() {
  static const TrainSchema schema;
  return schema;
}

namespace {

/// Writes the fields that follow from the layouts.
void put_layouts(const storage::FieldWriter& file, const std::vector<TrainLayout>& runs) {
  const TrainSchema& field = train_schema();
  const auto put = [&]<class T>(const storage::Field<T>& of, const auto& value) {
    std::vector<T> values;
    for (const TrainLayout& run : runs) values.push_back(value(run));
    file.put(of, std::move(values));
  };
  const auto put_exchanged = [&](const auto& of, auto training::Exchanged::*part) {
    put(of, [part](const TrainLayout& run) { return run.setup.exchanged().*part; });
  };
  using Run = const TrainLayout&;
  put(field.workers, [](Run run) { return run.params.workers; });
  put(field.batch, [](Run run) { return run.params.batch; });
  put(field.rate, [](Run run) { return *run.params.rate; });
  put(field.strategy, [](Run run) { return run.params.strategy; });
  put_exchanged(field.summed, &training::Exchanged::summed);
  put_exchanged(field.gathered, &training::Exchanged::gathered);
  put_exchanged(field.sums, &training::Exchanged::sums);
  put_exchanged(field.gathers, &training::Exchanged::gathers);
  put_exchanged(field.replicated, &training::Exchanged::replicated);
}

/// Writes the fields of each epoch; results[r] belongs to run r and has no epochs if that is not done.
void put_epochs(const storage::FieldWriter& file, const std::vector<TrainRecord>& results, std::size_t epochs,
                bool has_error, bool validates) {
  const TrainSchema& field = train_schema();
  const auto put = [&]<class T>(const storage::Field<T>& of, std::vector<double> TrainRecord::*list, T otherwise) {
    std::vector<T> values(results.size() * epochs, otherwise);
    for (std::size_t r = 0; r < results.size(); ++r) {
      const std::vector<double>& known = results[r].*list;
      for (std::size_t e = 0; e < std::min(known.size(), epochs); ++e)
        values[r * epochs + e] = static_cast<T>(known[e]);
    }
    file.put(of, std::move(values));
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  put(field.loss, &TrainRecord::loss, nan);
  put(field.held_out_loss, &TrainRecord::held_out_loss, nan);
  if (has_error) put(field.held_out_error, &TrainRecord::held_out_error, nan);
  if (validates) {
    put(field.validation_loss, &TrainRecord::validation_loss, nan);
    put(field.validation_error, &TrainRecord::validation_error, nan);
  }
  put(field.epoch_ranks, &TrainRecord::epoch_ranks, 0);
  put(field.seconds, &TrainRecord::seconds, nan);
  put(field.comm_seconds, &TrainRecord::comm_seconds, nan);
}

/// Writes what the models take the held-out samples for.
void put_predictions(const storage::FieldWriter& file, const data::Task& task,
                     const std::vector<TrainRecord>& results) {
  const TrainSchema& field = train_schema();
  const auto n = static_cast<std::size_t>(task.test.size());
  std::vector<std::int32_t> prediction;
  for (const TrainRecord& one : results) {
    std::vector<std::int32_t> of_run = one.model.empty() ? std::vector<std::int32_t>() : one.prediction;
    of_run.resize(n, -1);
    prediction.insert(prediction.end(), of_run.begin(), of_run.end());
  }
  file.put(field.sample, task.test.file_rows());
  file.put(field.label, list_of(task.test.label));
  file.put(field.prediction, prediction);
}

}  // namespace

run::StudyFacts facts_of(const std::vector<run::OptionValue>& options, const std::vector<TrainLayout>& runs,
                         const training::TrainTask& task) {
  const TrainParams& params = runs.front().params;
  run::StudyFacts facts(options, params.seed, "", task.samples);
  if (task.has_names()) {
    facts.data = task.names.train.source;
    facts.features = params.window;
    facts.test_digest = task.names.held_out.digest;
  } else {
    facts.describe_features(task.samples.train, runs.front().setup.scale);
  }
  facts.train = task.train_size();
  facts.test = task.held_out_size();
  return facts;
}

void write_train_result(const std::vector<TrainLayout>& runs, const training::TrainTask& task,
                        const std::vector<Record>& records, storage::Container& content) {
  const TrainLayout& first = runs.front();
  content.attributes["network"] = first.params.network;
  content.attributes["architecture"] = first.setup.describe();
  content.attributes["parameters"] = first.setup.parameters();
  const std::size_t n = runs.size();
  std::vector<std::int32_t> status(n, 0), ranks(n, 1), kept(n, 0);
  std::vector<std::string> reason(n), model(n), checksum(n);
  std::vector<TrainRecord> results(n);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double best = infinity;
  for (const Record& record : records) {
    const auto r = static_cast<std::size_t>(record.key.index[0]);
    status[r] = static_cast<std::int32_t>(record.status);
    reason[r] = record.reason;
    if (record.status != Status::done) continue;
    const TrainRecord& result = results[r] = TrainRecord::from_bytes(record.payload);
    ranks[r] = result.ranks;
    if (result.diverged) reason[r] = result.reason;
    for (const auto& file : result.model) {
      const char* gap = model[r].empty() ? "" : " ";
      model[r] += gap + file.name;
      checksum[r] += gap + text(std::hex, file.checksum);
    }
    if (result.model.empty()) continue;
    kept[r] = result.kept_epoch > 0 ? result.kept_epoch : static_cast<std::int32_t>(result.loss.size());
    const double held_out =
        result.held_out_loss.empty() ? infinity : result.held_out_loss[static_cast<std::size_t>(kept[r]) - 1];
    if (content.attributes.contains("model") && !(held_out < best)) continue;
    best = std::isnan(held_out) ? infinity : held_out;
    content.attributes["model"] = model[r];
    content.attributes["model_checksum"] = checksum[r];
  }
  int epochs = 0;
  for (const TrainLayout& run : runs) epochs = std::max(epochs, run.params.epochs);
  const TrainSchema& field = train_schema();
  const storage::FieldWriter file(content);
  file.put_index(field.run_number, n);
  file.put_index(field.epoch, static_cast<std::size_t>(epochs));
  put_layouts(file, runs);
  file.put(field.ranks, ranks);
  file.put(field.status, status);
  file.put(field.reason, reason);
  file.put(field.kept_epoch, kept);
  if (task.validates()) content.attributes["n_validation"] = std::int64_t{task.validation.size()};
  file.put(field.model, model);
  file.put(field.model_checksum, checksum);
  if (!task.has_names()) file.put(field.class_name, task.samples.train.class_name);
  if (!task.has_names() && task.held_out_size() > 0) put_predictions(file, task.samples, results);
  put_epochs(file, results, static_cast<std::size_t>(epochs), !task.has_names(), task.validates());
}

}  // namespace krossfold::studies
