// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/run_names.hpp"

#include <algorithm>
#include <chrono>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/study/run_trainings.hpp"

namespace krossfold::study {

namespace {

/// The most ranks that can share this many workers equally.
int ranks_for(int workers, int ranks) {
  int most = std::min(workers, ranks);
  while (workers % most != 0) --most;
  return most;
}

std::vector<TrainPlan> plan_names(const NamesParams& params, const TrainTask& task, int ranks) {
  const int n = task.train_size();
  std::vector<int> batches = params.batch_per_worker;
  if (batches.empty()) {
    const int least = n >= 16384 ? 1024 : std::max(1, n / 76);
    batches = {least, 4 * least, 16 * least};
  }
  std::vector<TrainPlan> plans;
  for (const int workers : params.workers) {
    if (workers > n)
      throw_input_error(text("bad --workers ", workers), text("there are ", n, " names to train on"), "");
    for (const int batch : batches) {
      for (const double rate : params.rate) {
        TrainParams one;
        one.network = "lstm";
        one.data = params.data;
        one.limit = params.limit;
        one.workers = workers;
        one.batch =
            static_cast<int>(std::min<std::int64_t>(std::int64_t{batch} * workers, n));  // no more than there are
        one.rate = rate;
        one.epochs = params.epochs;
        one.layers = params.layers;
        one.hidden = {params.hidden};
        one.window = params.window;
        one.dropout = params.dropout;
        one.seed = params.seed;
        const auto same = [&](const TrainPlan& plan) {
          return plan.params.workers == workers && plan.params.batch == one.batch && *plan.params.rate == rate;
        };
        // Batches that are cut to the names there are may become equal: one training is enough.
        if (std::none_of(plans.begin(), plans.end(), same))
          plans.push_back(plan_train(one, task, ranks_for(workers, ranks)));
      }
    }
  }
  return plans;
}

}  // namespace

ExitCode run_names(const Surroundings& around, const NamesParams& params, const RunParams& run) {
  const auto began = std::chrono::steady_clock::now();
  const parallel::Communicator& comm = around.comm;
  const data::NameSet names = load_names_on_root(comm, params.data);
  TrainTask task;
  TrainRuns runs;
  runs.kind = "names";
  runs.options = options_of(params);
  parallel::on_all(comm, [&] {
    task.names = data::split_names(names, params.limit);
    runs.run = plan_names(params, task, comm.size());
  });
  if (!run.dry_run) around.log.info(folding_text(names));
  const std::size_t batches = params.batch_per_worker.empty() ? 3 : params.batch_per_worker.size();
  const std::size_t all = params.workers.size() * batches * params.rate.size();
  if (runs.run.size() < all) {
    around.log.info(text(all - runs.run.size(), " of ", all,
                         " combinations are left out: with batches of no more than the ", task.train_size(),
                         " names there are, they are the same as others"));
  }
  return run_trainings(around, run, began, runs, task);
}

}  // namespace krossfold::study
