// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/run.hpp"

#include <bit>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/run/memory_budget.hpp"
#include "krossfold/studies/train/executor.hpp"
#include "krossfold/studies/train/network_kinds.hpp"
#include "krossfold/studies/train/report.hpp"

namespace krossfold::studies {

namespace {

/// The workers of the training that an output file holds; 0 if it holds none.
int workers_of(const std::string& output) {
  std::error_code ignored;
  if (!std::filesystem::exists(output, ignored)) return 0;
  try {
    const storage::Container content = storage::read_container(output);
    if (content.attribute("kind") != "train") return 0;
    for (const run::OptionValue& option : run::options_from_json(content.attribute("config"), output)) {
      if (option.name == "workers") return std::stoi(option.value);
    }
  } catch (const std::exception&) {
    // What is wrong with the file is said where it is opened to be continued.
  }
  return 0;
}

storage::Fingerprint fingerprint_of(const TrainRuns& runs, const training::TrainTask& task) {
  const std::string options =
      "network = " + runs.run.front().params.network + "\n" + run::fingerprint_text(runs.options);
  storage::Fingerprint print = run::make_fingerprint(options, task.samples);
  if (task.has_names()) print.data = task.names.train.digest ^ std::rotl(task.names.held_out.digest, 17);
  return print;
}

int steps_of_epoch(const TrainLayout& plan, const training::TrainTask& task) {
  return (task.train_size() + plan.params.batch - 1) / plan.params.batch;
}

std::string run_text(const TrainLayout& plan, const training::TrainTask& task) {
  const TrainParams& params = plan.params;
  const bool split = plan.setup.splits_weights();
  return text(params.epochs, " epochs, ", steps_of_epoch(plan, task), " steps each, ", params.workers, " on ",
              plan.setup.ranks, plan.setup.ranks == 1 ? " rank, " : " ranks, ", params.strategy, ", ",
              split ? "all" : text("up to ", plan.setup.share()), " of the ", params.batch, " samples of a step each");
}

void print_plan(const TrainRuns& runs, const training::TrainTask& task, const run::RunContext& context,
                const run::MemoryBound& bound) {
  const TrainLayout& first = runs.run.front();
  std::uint64_t bytes = 0;
  for (const TrainLayout& plan : runs.run) bytes = std::max(bytes, plan.setup.bytes());
  std::cout << "units    " << runs.run.size() << (runs.run.size() == 1 ? " training" : " trainings") << "\nsamples  "
            << task.train_size() << " to train on, " << task.held_out_size() << " held out\nnetwork  "
            << first.setup.describe() << ", " << first.setup.parameters() << " parameters\n";
  for (const TrainLayout& plan : runs.run) std::cout << "workers  " << run_text(plan, task) << "\n";
  std::cout << "memory   " << size_text(bytes) << " a rank";
  if (bytes > bound.bytes) std::cout << ": more than there is: " << bound.why;
  std::cout << "\ndevices  " << parallel::describe(context.places) << "\n";
}

/// "epoch 3 of 15: loss 1.52, held out 1.48, 2.1 s; 25 s to go".
std::string epoch_text(const TrainLayout& plan, const run::LoggedEpoch& epoch) {
  const int left = plan.params.epochs - epoch.epoch;
  std::string line = text("epoch ", epoch.epoch, " of ", plan.params.epochs, ": loss ", report::rounded(epoch.loss));
  if (!std::isnan(epoch.held_out_loss)) line += text(", held out ", report::rounded(epoch.held_out_loss));
  if (!std::isnan(epoch.held_out_error)) line += text(" (", report::percent(epoch.held_out_error), " wrong)");
  line += ", " + duration_text(epoch.seconds);
  if (left > 0) {
    line += text("; ", duration_text(left * epoch.seconds), " to go",
                 std::isfinite(plan.params.stop_ratio) ? " at most" : "");
  }
  return line;
}

/// The runs of one width.
class SomeRuns : public Study {
public:
  void add(int run, const TrainLayout& plan, const training::TrainTask& task) {
    Unit unit;
    unit.key = {train_unit, {run, 0, 0}};
    // A step costs something whatever its size.
    unit.cost = static_cast<double>(plan.params.epochs) *
                (task.train_size() / static_cast<double>(plan.setup.ranks) + 100.0 * steps_of_epoch(plan, task));
    units_.push_back(unit);
  }
  std::vector<Unit> initial() override { return units_; }
  std::vector<Unit> on_record(const Record&) override { return {}; }

private:
  std::vector<Unit> units_;
};

class TrainCase : public run::StudyCase {
public:
  TrainCase(const Log& said, const run::RunParams& run, const TrainRuns& runs, const training::TrainTask& task)
      : said_(said), run_(run), runs_(runs), task_(task) {
    kind = runs.kind;
    progress = runs.run.size() == 1 ? "" : "trainings";  // of one the epochs are told
    fingerprint = fingerprint_of(runs, task);
    seed = runs.run.front().params.seed;
    config = run::to_json(runs.options);
  }

  int stage(const UnitKey&) const override { return 0; }
  storage::Container result(const std::vector<Record>& records, const run::RunFacts& facts) const override {
    return make_train_result(runs_, task_, records, facts);
  }
  report::Document report(const run::ResultFile& file) const override { return train_document(file); }
  bool prepare() override {
    executor_ = std::make_unique<TrainExecutor>(
        runs_.run, task_, run::CheckpointParams{run::identity_of(fingerprint), run_.checkpoint_every},
        [this](const UnitKey& unit, const run::LoggedEpoch& epoch) {
          if (runs_.run.size() == 1) said_.info(epoch_text(runs_.run.front(), epoch));
          if (log == nullptr) return;
          log->epoch(unit, epoch);
          const std::lock_guard lock(mutex_);
          logged_.insert({unit.index[0], epoch.epoch});
        });
    for (std::size_t r = 0; r < runs_.run.size(); ++r) {
      by_width_[runs_.run[r].setup.ranks].add(static_cast<int>(r), runs_.run[r], task_);
    }
    return true;
  }
  std::vector<run::Phase> phases() override {
    std::vector<run::Phase> all;
    for (auto& [width, study] : by_width_) all.push_back({study, width});
    return all;
  }
  /// Those of the gang of rank 0 were logged when they ended.
  std::vector<run::LoggedEpoch> epochs_of(const Record& record) const override {
    std::vector<run::LoggedEpoch> epochs = TrainRecord::from_bytes(record.payload).epochs();
    const std::lock_guard lock(mutex_);
    std::erase_if(epochs, [&](const run::LoggedEpoch& one) {
      return logged_.contains({record.key.index[0], one.epoch});
    });
    return epochs;
  }
  parallel::GangExecutor& gang_executor() override { return *executor_; }

private:
  const Log& said_;
  const run::RunParams& run_;
  const TrainRuns& runs_;
  const training::TrainTask& task_;
  std::map<int, SomeRuns> by_width_;
  mutable std::mutex mutex_;              ///< of logged_: trainings add to it, the manager of the farm reads
  std::set<std::pair<int, int>> logged_;  ///< (run, epoch)
  std::unique_ptr<TrainExecutor> executor_;
};

}  // namespace

ExitCode run_trainings(const run::RunContext& context, const run::RunParams& run,
                       std::chrono::steady_clock::time_point began, const TrainRuns& runs, const LoadedTask& loaded) {
  const run::MemoryBound bound = run::rank_memory(context, run);
  if (run.dry_run) {
    if (context.comm.is_root()) print_plan(runs, loaded.task, context, bound);
    return ExitCode::done;
  }
  parallel::on_all(context.comm, [&] {
    for (const TrainLayout& plan : runs.run) {
      if (plan.setup.bytes() <= bound.bytes) continue;
      throw_input_error(text("training ", plan.setup.describe(), " needs ", size_text(plan.setup.bytes()), " a rank"),
                        bound.why, network_kind(plan.params.network).advice_on_memory());
    }
  });
  if (!loaded.note.empty()) context.log.info(loaded.note);
  TrainCase what(context.log, run, runs, loaded.task);
  return run::run_study(context, run, began, what);
}

ExitCode run_train(const run::RunContext& context, const TrainParams& given, const run::RunParams& run) {
  const auto began = std::chrono::steady_clock::now();
  const parallel::Communicator& comm = context.comm;
  TrainParams params = given;
  if (params.workers == 0) {
    // The ranks may change when a training is continued, its workers may not.
    if (comm.is_root()) params.workers = workers_of(run.output);
    parallel::broadcast(comm, std::as_writable_bytes(std::span(&params.workers, 1)));
    if (params.workers > 0 && params.workers != comm.size()) {
      context.log.info(text("--workers ", params.workers, ", as ", run.output, " was begun"));
    }
  }
  const TrainParams full = with_defaults(params);
  const LoadedTask loaded =
      load_train_task(comm, network_kind(params.network).learns_names, {*full.data, full.test, full.limit});
  TrainRuns runs{"train", {}, {}};
  parallel::on_all(comm, [&] {
    runs.run = {lay_out_train(params, loaded.task, comm.size())};
    runs.options = options_of(runs.run.front().params);
  });
  return run_trainings(context, run, began, runs, loaded);
}

}  // namespace krossfold::studies
