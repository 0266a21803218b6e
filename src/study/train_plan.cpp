// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/train_plan.hpp"

#include <algorithm>
#include <cmath>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::study {

namespace {

void check(bool right, const std::string& problem, const std::string& why, const std::string& suggestion) {
  if (!right) throw_input_error(problem, why, suggestion);
}

}  // namespace

int TrainPlan::part() const {
  const int share = (params.batch + params.workers - 1) / params.workers;
  return std::max(1, cpu_backend() ? std::min(share, 128) : share);
}

TrainPlan plan_train(const TrainParams& params, const data::NameTask& task, int ranks) {
  TrainPlan plan;
  plan.params = params;
  plan.ranks = ranks;
  const int n = task.train.size();
  check(params.batch >= 1 && params.batch <= n, text("bad --batch ", params.batch),
        text("it is a number of names from 1 to the ", n, " of the training part"),
        "All workers together take so many in a step.");
  const int steps = (n + params.batch - 1) / params.batch;
  if (params.epochs == 0) plan.params.epochs = std::max(15, (3000 + steps - 1) / steps);
  check(plan.params.epochs >= 1 && plan.params.epochs <= 1'000'000, text("bad --epochs ", params.epochs),
        "it is at least 1", "The default is 15, or as many as make 3000 steps.");
  check(std::isfinite(params.rate) && params.rate > 0, text("bad --rate ", shortest(params.rate)), "it is above 0",
        "The default is 0.001.");
  check(params.dropout >= 0 && params.dropout < 1, text("bad --dropout ", shortest(params.dropout)),
        "it is a share of the units, from 0 to below 1", "The default is 0.1.");
  check(params.window >= 2 && params.window <= 1000, text("bad --window ", params.window),
        "it is a number of letters from 2 to 1000", "The default is 8.");
  plan.params.workers = params.workers > 0 ? params.workers : ranks;
  if (params.strategy.empty()) plan.params.strategy = plan.params.workers > 1 ? "ddp" : "single";
  plan.strategy = parse_strategy(plan.params.strategy);
  check(plan.strategy != Strategy::single || plan.params.workers == 1,
        text("--strategy single with ", plan.params.workers, " workers"), "it is the training of one",
        "Start one rank, or choose ddp or data-parallel.");
  check(plan.params.workers % ranks == 0, text(plan.params.workers, " workers on ", ranks, " ranks"),
        "every rank computes as many workers as the others",
        text("Start a number of ranks that divides ", plan.params.workers, "."));
  check(plan.params.workers <= params.batch, text(plan.params.workers, " workers for a batch of ", params.batch),
        "some would have nothing to do in any step", "Raise --batch.");
  plan.architecture = {data::name_symbols, params.window, params.layers, params.hidden, params.dropout};
  nn::check_architecture(plan.architecture, "--layers, --hidden");
  return plan;
}

}  // namespace krossfold::study
