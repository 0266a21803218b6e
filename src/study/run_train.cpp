// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/run_train.hpp"

#include <chrono>

#include "krossfold/data/spec.hpp"
#include "krossfold/parallel/broadcast_task.hpp"
#include "krossfold/study/run_trainings.hpp"

namespace krossfold::study {

ExitCode run_train(const Surroundings& around, const TrainParams& params, const RunParams& run) {
  const auto began = std::chrono::steady_clock::now();
  const parallel::Communicator& comm = around.comm;
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
