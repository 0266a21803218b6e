// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/train_executor.hpp"

#include <chrono>
#include <limits>
#include <optional>

#include "done_record.hpp"
#include "krossfold/core/checksum.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/nn/rows.hpp"
#include "krossfold/nn/sharded_lstm.hpp"
#include "krossfold/nn/training.hpp"
#include "krossfold/study/lstm_model.hpp"

namespace krossfold::study {

namespace {

using Clock = std::chrono::steady_clock;
using Model = nn::ShardedLstm<Device>;

double seconds_since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

nn::Windows<Device> windows_of(const data::NameSet& names, int steps) {
  const data::NameWindows windows = data::name_windows(names.name, steps);
  return {list_on<Device>("krossfold::study::symbol", windows.symbol),
          list_on<Device>("krossfold::study::next", windows.next), steps};
}

nn::TrainingParams training_params(const TrainParams& params) {
  nn::TrainingParams training;
  training.epochs = params.epochs;
  training.stop_ratio = std::numeric_limits<double>::infinity();
  training.batch = params.batch;
  training.rate = params.rate;
  training.stream = {.seed = params.seed, .purpose = random_purpose_sample_order};
  return training;
}

}  // namespace

/// A training on its way.
struct TrainExecutor::Run {
  MpiExchange<Device> exchange;
  Model model;
  nn::Training<Model> training;
  TrainRecord record;
  double before = 0, comm_before = 0;  ///< of the epoch, in earlier runs
  Clock::time_point began = Clock::now();
  double comm_began = 0;

  Run(const parallel::Communicator& gang, const TrainPlan& plan, const nn::Windows<Device>& windows)
      : exchange(gang, plan.strategy, plan.params.workers),
        model(Device(), plan.architecture, plan.part(), exchange),
        training(model, windows, nn::all_rows(windows.size()), training_params(plan.params)) {
    model.network().initialize({.seed = plan.params.seed, .purpose = random_purpose_initial_weights});
  }
  double elapsed() const { return before + seconds_since(began); }
  double comm_elapsed() const { return comm_before + exchange.seconds - comm_began; }
  void begin_epoch() {
    before = comm_before = 0;
    began = Clock::now();
    comm_began = exchange.seconds;
  }
};

TrainExecutor::TrainExecutor(const TrainPlan& plan, const data::NameTask& task, const PartParams& parts)
    : plan_(plan),
      task_(task),
      train_(windows_of(task.train, plan.params.window)),
      held_out_(windows_of(task.held_out, plan.params.window)),
      parts_(parts) {}

void TrainExecutor::keep(const Run& run) {
  ByteWriter writer;
  for (const auto* values : {&run.record.held_out_loss, &run.record.seconds, &run.record.comm_seconds}) {
    writer.put_all(std::span<const double>(*values));
  }
  writer.put(run.elapsed());
  writer.put(run.comm_elapsed());
  run.training.write_state(writer);
  parts_.keep(writer.take());
}

std::vector<Record> TrainExecutor::run(const parallel::Communicator& gang, const Unit& unit, UnitContext& context) {
  std::optional<Run> made;
  std::vector<std::byte> part;
  parallel::on_all(gang, [&] {
    made.emplace(gang, plan_, train_);
    if (gang.is_root()) part = parts_.begin(unit, context.checkpoint).value_or(std::vector<std::byte>());
  });
  Run& run = *made;
  parallel::broadcast(gang, part);
  if (!part.empty()) {
    ByteReader reader(part, part_name(unit.key));
    for (auto* values : {&run.record.held_out_loss, &run.record.seconds, &run.record.comm_seconds}) {
      *values = reader.get_all<double>();
    }
    run.before = reader.get<double>();
    run.comm_before = reader.get<double>();
    run.training.read_state(reader);
    reader.expect_end();
  }
  run.began = Clock::now();
  const Poll poll = [&] {
    if (parallel::agree(gang, context.stop.stop_requested())) throw Stopped();
  };
  const nn::EpochReport at_end_of_epoch = [&](int, const std::vector<double>&) {
    run.record.seconds.push_back(run.elapsed());
    run.record.comm_seconds.push_back(run.comm_elapsed());
    run.record.held_out_loss.push_back(run.model.mean_loss(held_out_));
    run.begin_epoch();
  };
  try {
    while (!run.training.finished()) {
      run.training.start_steps(poll);
      run.training.read_losses(at_end_of_epoch);
      if (gang.is_root() && !run.training.finished() && parts_.due()) keep(run);
    }
  } catch (const Stopped&) {
    run.training.read_losses(at_end_of_epoch);
    if (gang.is_root() && !run.training.finished()) keep(run);
    return {};
  }
  if (gang.is_root()) parts_.complete();
  const nn::TrainingResult& result = run.training.result();
  run.record.loss = result.epoch_loss;
  run.record.diverged = result.diverged;
  run.record.reason = result.reason;
  run.record.ranks = gang.size();
  if (!gang.is_root()) return {};
  if (!result.diverged) store_model(run, context.checkpoint);
  return {done_record(unit.key, run.record.to_bytes())};
}

void TrainExecutor::store_model(Run& run, CheckpointSink& sink) const {
  const auto bytes = storage::to_bytes(
      to_container(LstmModel{plan_.architecture, run.model.network().parameters(), digests_of(task_.train.name)}));
  run.record.model_name = lstm_model_name;
  run.record.model_size = bytes.size();
  run.record.model_checksum = crc64(bytes);
  sink.store(run.record.model_name, bytes);
}

}  // namespace krossfold::study
