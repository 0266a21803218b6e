// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/run_train.hpp"

#include <bit>
#include <chrono>
#include <iostream>
#include <memory>

#include "krossfold/core/serialize.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/study/rank_memory.hpp"
#include "krossfold/study/train_executor.hpp"
#include "krossfold/study/train_plan.hpp"
#include "krossfold/study/train_result.hpp"

namespace krossfold::study {

namespace {

/// The names as rank 0 reads them, on all ranks.
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

storage::Fingerprint fingerprint_of(const TrainPlan& plan, const data::NameTask& task) {
  const std::string options = "network = " + plan.params.network + "\n" + fingerprint_text(options_of(plan.params));
  storage::Fingerprint print = make_fingerprint(options, data::Task());
  print.data = task.train.digest ^ std::rotl(task.held_out.digest, 17);
  return print;
}

void print_plan(const TrainPlan& plan, const data::NameTask& task, const Surroundings& around) {
  const TrainParams& params = plan.params;
  const std::int64_t share = (params.batch + params.workers - 1) / params.workers;
  const std::uint64_t bytes = nn::network_bytes(plan.architecture, plan.part()) +
                              sizeof(float) * static_cast<std::uint64_t>(plan.architecture.parameters()) *
                                  static_cast<std::uint64_t>(4 + params.workers / plan.ranks);
  std::cout << "units    1 training of " << params.epochs << " epochs, "
            << (task.train.size() + params.batch - 1) / params.batch << " steps each\nsamples  " << task.train.size()
            << " names to train on, " << task.held_out.size() << " held out\nnetwork  "
            << nn::describe(plan.architecture) << ", " << plan.architecture.parameters() << " parameters\nworkers  "
            << params.workers << " on " << plan.ranks << (plan.ranks == 1 ? " rank" : " ranks") << ", "
            << params.strategy << ", up to " << share << " of the " << params.batch
            << " names of a step each\nmemory   " << size_text(bytes) << " a rank\ndevices  "
            << parallel::describe(around.places) << "\n";
}

struct OneTraining : Study {
  std::vector<Unit> initial() override {
    Unit unit;
    unit.key = {train_unit, {0, 0, 0}};
    unit.cost = 1;
    return {unit};
  }
  std::vector<Unit> on_record(const Record&) override { return {}; }
};

class TrainCase : public StudyCase {
public:
  TrainCase(const RunParams& run, const TrainPlan& plan, const data::NameTask& task)
      : run_(run), plan_(plan), task_(task) {
    kind = "train";
    progress = "training";
    fingerprint = fingerprint_of(plan, task);
    seed = plan.params.seed;
    gang_width = plan.ranks;
  }

  int stage(const UnitKey&) const override { return 0; }
  storage::Container result(const std::vector<Record>& records, const RunFacts& facts) const override {
    return make_train_result(plan_, task_, records, facts);
  }
  bool prepare() override {
    executor_ =
        std::make_unique<TrainExecutor>(plan_, task_, PartParams{identity_of(fingerprint), run_.checkpoint_every});
    return true;
  }
  Study& study() override { return study_; }
  parallel::GangExecutor& gang_executor() override { return *executor_; }

private:
  const RunParams& run_;
  const TrainPlan& plan_;
  const data::NameTask& task_;
  OneTraining study_;
  std::unique_ptr<TrainExecutor> executor_;
};

}  // namespace

ExitCode run_train(const Surroundings& around, const TrainParams& params, const RunParams& run) {
  const auto began = std::chrono::steady_clock::now();
  const parallel::Communicator& comm = around.comm;
  const data::NameSet names = load_names_on_root(comm, params.data);
  data::NameTask task;
  TrainPlan plan;
  parallel::on_all(comm, [&] {
    task = data::split_names(names, params.limit);
    plan = plan_train(params, task, comm.size());
  });
  if (run.dry_run) {
    if (comm.is_root()) print_plan(plan, task, around);
    return ExitCode::done;
  }
  around.log.info(folding_text(names));
  TrainCase what(run, plan, task);
  return run_study(around, run, began, what);
}

}  // namespace krossfold::study
