// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/executor.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <iomanip>
#include <memory>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/model/lstm_file.hpp"
#include "krossfold/parallel/gang.hpp"
#include "krossfold/run/done_record.hpp"
#include "krossfold/studies/train/network_kinds.hpp"

namespace krossfold::studies {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

/// The lists of a record to which every epoch of its training appends.
std::vector<std::vector<double>*> growing(TrainRecord& record) {
  return {&record.held_out_loss,   &record.held_out_error,   &record.seconds,    &record.comm_seconds,
          &record.validation_loss, &record.validation_error, &record.epoch_ranks};
}

/// Runs `action` on all ranks. If memory is short on one, the error tells how much the training needs with its samples.
template <class Action>
void all_with_memory(const parallel::Communicator& gang, const TrainLayout& layout, const training::TrainTask& task,
                     const Action& action) {
  parallel::on_all(gang, [&] {
    try {
      action();
    } catch (const std::exception& error) {
      if (!out_of_memory(error)) throw;
      const std::uint64_t bytes = layout.setup.bytes() + training::train_data_bytes(layout.setup, task);
      throw_run_error(
          text("out of memory: ", layout.setup.describe(), " needs ", size_text(bytes), " a rank with its samples"),
          error.what(), network_kind(layout.params.network).advice_on_memory());
    }
  });
}

}  // namespace

/// A training in progress.
struct TrainExecutor::Run {
  const parallel::Communicator& gang;
  bool split;  ///< true if each rank has a part of the weights
  training::MpiExchange<Device> exchange;
  std::unique_ptr<training::Trainee> trainee;
  TrainRecord record;
  bool validates;
  std::vector<std::int32_t> choice;    ///< of the held-out samples after the last epoch that was evaluated
  std::vector<std::byte> kept;         ///< the model of the kept epoch, on the ranks that store it
  std::size_t last_part = 1;           ///< index of the part that was stored last
  double before = 0, comm_before = 0;  ///< seconds that earlier runs spent on the present epoch
  int epoch_ranks = gang.size();       ///< ranks of the present epoch; 0 if earlier runs had another number
  Clock::time_point began = Clock::now();
  double comm_began = 0;

  Run(const parallel::Communicator& of, const TrainLayout& layout, const training::TrainTask& task,
      const training::TrainData& data)
      : gang(of),
        split(layout.setup.strategy == training::Strategy::model_parallel && of.size() > 1),
        exchange(of, layout.setup.strategy, layout.params.workers),
        trainee(training::make_trainee(layout.setup, task, data, exchange)),
        validates(task.validates()) {}
  bool stores() const { return split || gang.is_root(); }
  double elapsed() const { return before + seconds_since(began); }
  double comm_elapsed() const { return comm_before + exchange.seconds - comm_began; }
  void begin_epoch() {
    before = comm_before = 0;
    epoch_ranks = gang.size();
    began = Clock::now();
    comm_began = exchange.seconds;
  }
  void end_epoch() {
    record.loss = trainee->result().epoch_loss;
    record.seconds.push_back(elapsed());
    record.comm_seconds.push_back(comm_elapsed());
    record.epoch_ranks.push_back(epoch_ranks);
    begin_epoch();
  }
  /// Evaluates the last epoch unless that was done: a stop may come between an epoch and its evaluation. True if it evaluated.
  bool evaluate(const Poll& poll) {
    if (record.held_out_loss.size() == record.seconds.size()) return false;
    const nn::Evaluation evaluation = trainee->evaluate(poll);
    const nn::Evaluation validation = validates ? trainee->validate(poll) : nn::Evaluation{};
    if (validates) {
      record.validation_loss.push_back(validation.loss);
      record.validation_error.push_back(validation.error);
    }
    record.held_out_loss.push_back(evaluation.loss);
    record.held_out_error.push_back(evaluation.error);
    choice = evaluation.choice;
    begin_epoch();
    return true;
  }
  /// Looks at the losses after the last step, whose own was computed before it. A held-out loss that is finite is one of them; one that is
  /// not may be due to held-out samples with values that no network can take. Collective.
  void look_for_divergence(const training::TrainTask& task, const Poll& poll) {
    const auto look = [&](const char* what, double loss) {
      if (std::isfinite(loss) || record.diverged) return;
      record.diverged = true;
      record.reason = text(what, " loss ", std::abs(loss), " after epoch ", record.loss.size());
    };
    if (record.loss.empty() || record.diverged) return;
    const bool held_out = task.held_out_size() > 0 && std::isfinite(record.held_out_loss.back());
    if (validates) look("validation", record.validation_loss.back());
    if (!held_out && !validates) look("training", trainee->training_loss(poll));
  }
  /// The progress of the training; only equal states have equal progress.
  std::int64_t progress() const {
    return 2 * trainee->progress() + (record.held_out_loss.size() == record.seconds.size() ? 1 : 0);
  }
  std::vector<std::byte> to_bytes() {
    ByteWriter writer;
    writer.put(progress());
    for (const auto* values : growing(record)) writer.put_all(std::span<const double>(*values));
    writer.put(elapsed());
    writer.put(comm_elapsed());
    writer.put<std::int32_t>(epoch_ranks);
    writer.put<std::int32_t>(record.kept_epoch);
    writer.put_all(std::span<const std::int32_t>(record.prediction));
    writer.put_all(std::span<const std::byte>(kept));
    trainee->write_state(writer);
    return writer.take();
  }
  void from_bytes(const std::vector<std::byte>& bytes) {
    ByteReader reader(bytes, "a part of a training");
    reader.get<std::int64_t>();
    for (auto* values : growing(record)) *values = reader.get_all<double>();
    before = reader.get<double>();
    comm_before = reader.get<double>();
    if (reader.get<std::int32_t>() != gang.size() && before > 0) epoch_ranks = 0;
    record.kept_epoch = reader.get<std::int32_t>();
    record.prediction = reader.get_all<std::int32_t>();
    kept = reader.get_all<std::byte>();
    if (!stores()) kept.clear();
    trainee->read_state(reader);
    reader.expect_end();
    record.loss = trainee->result().epoch_loss;
    check_sizes();
  }
  /// Throws a run error if the lists contradict one another: an epoch may have ended that is not evaluated yet.
  void check_sizes() const {
    const std::size_t epochs = record.loss.size(), evaluated = record.held_out_loss.size();
    bool fits = (evaluated == epochs || evaluated + 1 == epochs) && record.held_out_error.size() == evaluated;
    for (const auto* values : {&record.seconds, &record.comm_seconds, &record.epoch_ranks})
      fits = fits && values->size() == epochs;
    for (const auto* values : {&record.validation_loss, &record.validation_error})
      fits = fits && values->size() == (validates ? evaluated : 0);
    fits =
        fits && record.kept_epoch >= 0 && static_cast<std::size_t>(record.kept_epoch) <= record.validation_error.size();
    if (!fits) throw_run_error("the state of a training is damaged", "its numbers of epochs contradict one another");
  }
};

namespace {

/// Parts of split weights go together only if all come from the same kind of processor: states of equal progress have equal bits then.
run::CheckpointParams of_ranks(const std::vector<TrainLayout>& runs, run::CheckpointParams parts) {
  const training::TrainingSetup& setup = runs.front().setup;
  if (setup.strategy == training::Strategy::model_parallel && setup.ranks > 1) parts.identity ^= parts.build;
  return parts;
}

}  // namespace

TrainExecutor::TrainExecutor(const std::vector<TrainLayout>& runs, const training::TrainTask& task,
                             const run::CheckpointParams& parts, EpochEnded epoch_ended)
    : runs_(runs),
      task_(task),
      data_(training::train_data(runs.front().setup, task)),
      parts_{run::UnitCheckpoints(of_ranks(runs, parts)), run::UnitCheckpoints(of_ranks(runs, parts))},
      epoch_ended_(std::move(epoch_ended)) {}

/// Continues from the latest state that all storing ranks have; states are identified by their progress, whichever attempt stored
/// them.
void TrainExecutor::load_state(Run& run, const Unit& unit, UnitContext& context) {
  using Part = std::vector<std::byte>;
  std::array<Part, 2> part;
  std::array<std::int64_t, 2> progress{-1, -1};
  parallel::on_all(run.gang, [&] {
    for (std::size_t k = 0; k < (run.split ? 2 : 1) && run.stores(); ++k) {
      const std::string suffix = run.split ? text("-rank", run.gang.rank(), k == 0 ? "a" : "b") : "";
      part[k] = parts_[k].begin(unit, context.checkpoint, suffix).value_or(Part());
      if (!part[k].empty()) progress[k] = ByteReader(part[k], "a part of a training").get<std::int64_t>();
    }
  });
  if (!run.split) {
    parallel::broadcast(run.gang, part[0]);
    if (!part[0].empty()) run.from_bytes(part[0]);
    return;
  }
  const auto first = parallel::gather_numbers(run.gang, progress[0]),
             second = parallel::gather_numbers(run.gang, progress[1]);
  std::int64_t latest = -1;
  for (const std::int64_t candidate : {first[0], second[0]}) {
    bool everywhere = true;
    for (std::size_t r = 0; r < first.size(); ++r)
      everywhere = everywhere && (first[r] == candidate || second[r] == candidate);
    if (everywhere) latest = std::max(latest, candidate);
  }
  if (latest < 0) return;
  run.last_part = progress[0] == latest ? 0 : 1;
  run.from_bytes(part[run.last_part]);
}

/// Collective.
void TrainExecutor::store_state(Run& run) {
  parallel::on_all(run.gang, [&] {
    if (!run.stores()) return;
    if (run.split) run.last_part = 1 - run.last_part;
    parts_[run.split ? run.last_part : 0].keep(run.to_bytes());
  });
}

std::vector<Record> TrainExecutor::run(const Unit& unit, UnitContext& context) {
  const parallel::Communicator& gang = *context.gang;
  const TrainLayout& layout = runs_[static_cast<std::size_t>(unit.key.index[0])];
  std::unique_ptr<Run> made;
  all_with_memory(gang, layout, task_, [&] { made = std::make_unique<Run>(gang, layout, task_, data_); });
  Run& run = *made;
  load_state(run, unit, context);
  run.began = Clock::now();
  const Poll poll = [&] {
    if (parallel::agree(gang, context.stop.stop_requested())) throw Stopped();
  };
  const nn::EpochReport at_end_of_epoch = [&](int, const std::vector<double>&) { run.end_epoch(); };
  const auto evaluate = [&] {
    const bool evaluated = run.evaluate(poll);
    if (evaluated && run.record.last_is_best()) keep_epoch(run, layout);
    if (evaluated && (run.record.kept_epoch == 0 || run.record.kept_epoch == run.record.epochs().back().epoch)) {
      run.record.prediction = run.choice;
    }
    if (evaluated && gang.is_root() && epoch_ended_) epoch_ended_(unit.key, run.record.epochs().back());
  };
  const auto due = [&] {
    return parallel::agree(gang, gang.is_root() && parts_[0].due() && (!run.split || parts_[1].due()));
  };
  training::Trainee& trainee = *run.trainee;
  try {
    for (evaluate(); !trainee.finished(); evaluate()) {
      trainee.start_steps(poll);
      trainee.read_losses(at_end_of_epoch);
      if (!trainee.finished() && due()) store_state(run);
    }
    run.record.diverged = trainee.result().diverged;
    run.record.reason = trainee.result().reason;
    if (!run.record.diverged) run.look_for_divergence(task_, poll);
  } catch (const Stopped&) {
    trainee.read_losses(at_end_of_epoch);
    // Only a rank alone leaves a step halfway.
    const run::UnitCheckpoints& part = parts_[run.split ? 1 - run.last_part : 0];
    const bool keep = !trainee.torn() && part.worth_keeping(trainee.state_bytes() + run.kept.size());
    if (parallel::agree(gang, keep)) store_state(run);
    return {};
  }
  for (run::UnitCheckpoints& parts : parts_) parts.complete();
  run.record.ranks = gang.size();
  if (!run.record.diverged) store_model(run, layout, context.checkpoint);
  if (!gang.is_root()) return {};
  return {run::done_record(unit.key, run.record.to_bytes())};
}

/// Keeps the weights of the epoch that has just ended. Collective.
void TrainExecutor::keep_epoch(Run& run, const TrainLayout& layout) const {
  all_with_memory(run.gang, layout, task_, [&] {
    if (run.stores()) run.kept = run.trainee->model_file();
  });
  run.record.kept_epoch = static_cast<int>(run.record.validation_error.size());
}

/// Collective.
void TrainExecutor::store_model(Run& run, const TrainLayout& layout, CheckpointSink& sink) const {
  const int number = static_cast<int>(&layout - runs_.data()), runs = static_cast<int>(runs_.size());
  std::uint64_t checksum = 0;
  all_with_memory(run.gang, layout, task_, [&] {
    if (!run.stores()) return;
    const auto bytes = run.record.kept_epoch > 0 ? std::move(run.kept) : run.trainee->model_file();
    checksum = crc64(bytes);
    sink.store(model_name(layout, number, runs, run.gang.rank()), bytes);
  });
  const auto checksums = parallel::gather_numbers(run.gang, std::bit_cast<std::int64_t>(checksum));
  for (int r = 0; r < (run.split ? run.gang.size() : 1); ++r) {
    run.record.model.push_back({model_name(layout, number, runs, r), std::bit_cast<std::uint64_t>(checksums[r])});
  }
}

std::string model_name(const TrainLayout& layout, int run, int runs, int rank) {
  const std::string& base = network_kind(layout.params.network).model;
  if (layout.setup.strategy == training::Strategy::model_parallel && layout.setup.ranks > 1)
    return text(base, "-", rank, "of", layout.setup.ranks, ".h5");
  return runs == 1 ? base + ".h5" : text(base, "_", std::setw(2), std::setfill('0'), run, ".h5");
}

}  // namespace krossfold::studies
