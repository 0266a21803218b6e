// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/run_train.hpp"

#include <chrono>
#include <filesystem>

#include "krossfold/core/text.hpp"
#include "krossfold/data/spec.hpp"
#include "krossfold/parallel/broadcast_task.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/study/run_trainings.hpp"

namespace krossfold::study {

namespace {

/// Those of the training that an output file holds; 0 if it holds none.
int workers_of(const std::string& output) {
  std::error_code ignored;
  if (!std::filesystem::exists(output, ignored)) return 0;
  try {
    const storage::Container content = storage::read_container(output);
    if (content.attribute("kind") != "train") return 0;
    for (const OptionValue& option : options_from_json(content.attribute("config"), output)) {
      if (option.name == "workers") return std::stoi(option.value);
    }
  } catch (const std::exception&) {
    // What is wrong with the file is said where it is opened to be continued.
  }
  return 0;
}

}  // namespace

ExitCode run_train(const Surroundings& around, const TrainParams& given, const RunParams& run) {
  const auto began = std::chrono::steady_clock::now();
  const parallel::Communicator& comm = around.comm;
  TrainParams params = given;
  if (params.workers == 0) {
    // The ranks may change when a training is continued, its workers may not.
    if (comm.is_root()) params.workers = workers_of(run.output);
    parallel::broadcast(comm, std::as_writable_bytes(std::span(&params.workers, 1)));
    if (params.workers > 0 && params.workers != comm.size()) {
      around.log.info(text("--workers ", params.workers, ", as ", run.output, " was begun"));
    }
  }
  const TrainParams full = with_defaults(params);
  const bool lstm = params.network == "lstm";
  TrainTask task;
  data::NameSet names;
  if (lstm) {
    names = load_names_on_root(comm, *full.data);
  } else {
    task.samples = parallel::load_and_broadcast(comm, [&] {
      return data::load_task({*full.data, full.test, full.limit});
    });
  }
  TrainRuns runs;
  runs.kind = "train";
  parallel::on_all(comm, [&] {
    if (lstm) task.names = data::split_names(names, full.limit);
    runs.run = {plan_train(params, task, comm.size())};
    runs.options = options_of(runs.run.front().params);
  });
  if (lstm && !run.dry_run) around.log.info(folding_text(names));
  return run_trainings(around, run, began, runs, task);
}

}  // namespace krossfold::study
