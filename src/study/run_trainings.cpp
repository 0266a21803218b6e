// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/run_trainings.hpp"

#include <bit>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "krossfold/core/serialize.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/study/rank_memory.hpp"
#include "krossfold/study/train_executor.hpp"
#include "report_values.hpp"

namespace krossfold::study {

namespace {

storage::Fingerprint fingerprint_of(const TrainRuns& runs, const TrainTask& task) {
  const std::string options = "network = " + runs.run.front().params.network + "\n" + fingerprint_text(runs.options);
  storage::Fingerprint print = make_fingerprint(options, task.samples);
  if (task.has_names()) print.data = task.names.train.digest ^ std::rotl(task.names.held_out.digest, 17);
  return print;
}

int steps_of_epoch(const TrainPlan& plan, const TrainTask& task) {
  return (task.train_size() + plan.params.batch - 1) / plan.params.batch;
}

std::string run_text(const TrainPlan& plan, const TrainTask& task) {
  const TrainParams& params = plan.params;
  const bool split = plan.strategy == Strategy::model_parallel;
  const int share = split ? params.batch : (params.batch + params.workers - 1) / params.workers;
  return text(params.epochs, " epochs, ", steps_of_epoch(plan, task), " steps each, ", params.workers, " on ",
              plan.ranks, plan.ranks == 1 ? " rank, " : " ranks, ", params.strategy, ", ",
              split ? "all" : text("up to ", share), " of the ", params.batch, " samples of a step each");
}

void print_plan(const TrainRuns& runs, const TrainTask& task, const Surroundings& around, const MemoryBound& bound) {
  const TrainPlan& first = runs.run.front();
  std::uint64_t bytes = 0;
  for (const TrainPlan& plan : runs.run) bytes = std::max(bytes, plan.bytes());
  std::cout << "units    " << runs.run.size() << (runs.run.size() == 1 ? " training" : " trainings") << "\nsamples  "
            << task.train_size() << " to train on, " << task.held_out_size() << " held out\nnetwork  "
            << first.describe() << ", " << first.parameters() << " parameters\n";
  for (const TrainPlan& plan : runs.run) std::cout << "workers  " << run_text(plan, task) << "\n";
  std::cout << "memory   " << size_text(bytes) << " a rank";
  if (bytes > bound.bytes) std::cout << ": more than there is: " << bound.why;
  std::cout << "\ndevices  " << parallel::describe(around.places) << "\n";
}

/// "epoch 3 of 15: loss 1.52, held out 1.48, 2.1 s; 25 s to go".
std::string epoch_text(const TrainPlan& plan, const LoggedEpoch& epoch) {
  const int left = plan.params.epochs - epoch.epoch;
  std::string line = text("epoch ", epoch.epoch, " of ", plan.params.epochs, ": loss ", rounded(epoch.loss));
  if (!std::isnan(epoch.held_out_loss)) line += text(", held out ", rounded(epoch.held_out_loss));
  if (!std::isnan(epoch.held_out_error)) line += text(" (", percent(epoch.held_out_error), " wrong)");
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
  void add(int run, const TrainPlan& plan, const TrainTask& task) {
    Unit unit;
    unit.key = {train_unit, {run, 0, 0}};
    // A step costs something whatever its size.
    unit.cost = static_cast<double>(plan.params.epochs) *
                (task.train_size() / static_cast<double>(plan.ranks) + 100.0 * steps_of_epoch(plan, task));
    unit.memory = plan.bytes();
    units_.push_back(unit);
  }
  std::vector<Unit> initial() override { return units_; }
  std::vector<Unit> on_record(const Record&) override { return {}; }

private:
  std::vector<Unit> units_;
};

class TrainCase : public StudyCase {
public:
  TrainCase(const Log& said, const RunParams& run, const TrainRuns& runs, const TrainTask& task)
      : said_(said), run_(run), runs_(runs), task_(task) {
    kind = runs.kind;
    progress = runs.run.size() == 1 ? "" : "trainings";  // of one the epochs are told
    fingerprint = fingerprint_of(runs, task);
    seed = runs.run.front().params.seed;
    config = to_json(runs.options);
  }

  int stage(const UnitKey&) const override { return 0; }
  storage::Container result(const std::vector<Record>& records, const RunFacts& facts) const override {
    return make_train_result(runs_, task_, records, facts);
  }
  bool prepare() override {
    executor_ =
        std::make_unique<TrainExecutor>(runs_.run, task_, PartParams{identity_of(fingerprint), run_.checkpoint_every},
                                        [this](const UnitKey& unit, const LoggedEpoch& epoch) {
                                          if (runs_.run.size() == 1) said_.info(epoch_text(runs_.run.front(), epoch));
                                          if (log == nullptr) return;
                                          log->epoch(unit, epoch);
                                          const std::lock_guard lock(mutex_);
                                          logged_.insert({unit.index[0], epoch.epoch});
                                        });
    for (std::size_t r = 0; r < runs_.run.size(); ++r) {
      by_width_[runs_.run[r].ranks].add(static_cast<int>(r), runs_.run[r], task_);
    }
    return true;
  }
  std::vector<Phase> phases() override {
    std::vector<Phase> all;
    for (auto& [width, study] : by_width_) all.push_back({study, width});
    return all;
  }
  /// Those of the gang of rank 0 were logged when they ended.
  std::vector<LoggedEpoch> epochs_of(const Record& record) const override {
    std::vector<LoggedEpoch> epochs = TrainRecord::from_bytes(record.payload).epochs();
    const std::lock_guard lock(mutex_);
    std::erase_if(epochs, [&](const LoggedEpoch& one) { return logged_.contains({record.key.index[0], one.epoch}); });
    return epochs;
  }
  parallel::GangExecutor& gang_executor() override { return *executor_; }

private:
  const Log& said_;
  const RunParams& run_;
  const TrainRuns& runs_;
  const TrainTask& task_;
  std::map<int, SomeRuns> by_width_;
  mutable std::mutex mutex_;              ///< of logged_: trainings add to it, the manager of the farm reads
  std::set<std::pair<int, int>> logged_;  ///< (run, epoch)
  std::unique_ptr<TrainExecutor> executor_;
};

}  // namespace

data::NameSet load_names_on_root(const parallel::Communicator& comm, const std::string& spec) {
  data::NameSet names;
  parallel::on_root(comm, [&] { names = data::load_names(spec); });
  std::vector<std::byte> bytes;
  if (comm.is_root()) {
    ByteWriter writer;
    writer.put_string(names.source);
    writer.put(names.digest);
    writer.put(names.count);
    writer.put(names.left_out);
    for (const std::string& name : names.name) writer.put_string(name);
    bytes = writer.take();
  }
  parallel::broadcast(comm, bytes);
  ByteReader reader(bytes, "names");
  data::NameSet all;
  all.source = reader.get_string();
  all.digest = reader.get<Digest>();
  all.count = reader.get<data::FoldCount>();
  all.left_out = reader.get<int>();
  while (!reader.at_end()) all.name.push_back(reader.get_string());
  return all;
}

std::string folding_text(const data::NameSet& names) {
  return text(names.source, ": ", names.size(), " names; ", names.count.folded, " characters folded, ",
              names.count.dropped, " dropped, ", names.left_out, " entries without letters left out");
}

ExitCode run_trainings(const Surroundings& around, const RunParams& run, std::chrono::steady_clock::time_point began,
                       const TrainRuns& runs, const TrainTask& task) {
  const MemoryBound bound = rank_memory(around, run);
  if (run.dry_run) {
    if (around.comm.is_root()) print_plan(runs, task, around, bound);
    return ExitCode::done;
  }
  parallel::on_all(around.comm, [&] {
    for (const TrainPlan& plan : runs.run) {
      if (plan.bytes() <= bound.bytes) continue;
      throw_input_error(text("training ", plan.describe(), " needs ", size_text(plan.bytes()), " a rank"), bound.why,
                        plan.is_lstm() ? "Use a smaller network."
                                       : "Split the weights over more ranks with --strategy model-parallel.");
    }
  });
  TrainCase what(around.log, run, runs, task);
  return run_study(around, run, began, what);
}

}  // namespace krossfold::study
