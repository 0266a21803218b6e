// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/run_names.hpp"

#include <chrono>

#include "krossfold/core/text.hpp"
#include "krossfold/studies/train/run.hpp"

namespace krossfold::studies {

ExitCode run_names(const run::RunContext& context, const NamesParams& params, const run::RunParams& run) {
  const auto began = std::chrono::steady_clock::now();
  const LoadedTask loaded = load_train_task(context.comm, true, {params.data, "", params.limit});
  TrainRuns runs{"names", options_of(params), {}};
  parallel::on_all(context.comm, [&] { runs.run = plan_names(params, loaded.task, context.comm.size()); });
  const std::size_t batches = params.batch_per_worker.empty() ? 3 : params.batch_per_worker.size();
  const std::size_t all = params.workers.size() * batches * params.rate.size();
  if (runs.run.size() < all) {
    context.log.info(text(all - runs.run.size(), " of ", all,
                          " combinations are omitted: with batches of no more than the ", loaded.task.train_size(),
                          " names there are, they equal others"));
  }
  return run_trainings(context, run, began, runs, loaded);
}

}  // namespace krossfold::studies
