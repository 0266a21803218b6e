// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/layout.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/studies/train/network_kinds.hpp"

namespace krossfold::studies {

namespace {

void check_numbers(const TrainParams& params, int samples) {
  const double rate = *params.rate, dropout = *params.dropout;
  require(params.batch >= 1 && params.batch <= samples, text("bad --batch ", params.batch),
          text("expected a number of samples from 1 to the ", samples, " of the training part"),
          "All workers together take that many per step.");
  require(params.epochs >= 1 && nn::has_draws(params.epochs, params.stop_ratio), text("bad --epochs ", params.epochs),
          text("expected a number from 1 to ", nn::most_epochs));
  require(std::isfinite(rate) && rate > 0, text("bad --rate ", shortest(rate)), "it must be above 0",
          "For example 0.001.");
  require(params.momentum >= 0 && params.momentum <= 1, text("bad --momentum ", shortest(params.momentum)),
          "expected a number from 0 to 1", "The default is 0.9.");
  require(params.stop_ratio > 0, text("bad --stop-ratio ", shortest(params.stop_ratio)), "it must be above 0",
          "The default is inf.");
  require(kernels::is_dropout(dropout), text("bad --dropout ", shortest(dropout)),
          "expected a probability from 0 to 0.9999: it is rounded to 1/65536, and some units have to stay");
}

kernels::Precision precision_of(const std::string& name) {
  const std::vector<std::string> names = {"single", "tf32", "bf16"};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw_unknown_word("--precision", name, names, "single, tf32 or bf16");
  return static_cast<kernels::Precision>(found - names.begin());
}

/// Sets the workers and the strategy with which the ranks share the training.
void set_workers(TrainLayout& layout, const NetworkKind& kind) {
  TrainParams& params = layout.params;
  const int ranks = layout.setup.ranks;
  if (params.workers == 0) params.workers = ranks;
  if (params.strategy.empty()) params.strategy = params.workers > 1 ? "ddp" : "single";
  layout.setup.strategy = training::parse_strategy(params.strategy);
  const bool split = layout.setup.splits_weights();
  require(layout.setup.strategy != training::Strategy::single || params.workers == 1,
          text("--strategy single with ", params.workers, " workers"), "it is for one worker",
          "Start one rank, or choose ddp, data-parallel or model-parallel.");
  require(params.workers % ranks == 0,
          text(report::counted(params.workers, "worker"), " on ", report::counted(ranks, "rank")),
          "every rank takes the same number of workers",
          text("Start a number of ranks that divides ", params.workers, "."));
  require(!split || kind.splits_weights, "--strategy model-parallel with " + kind.name,
          "it splits convolutions and dense layers", "Use ddp.");
  require(!split || params.workers == ranks,
          text("--strategy model-parallel with ", report::counted(params.workers, "worker"), " on ",
               report::counted(ranks, "rank")),
          "each worker has a part of the weights in the memory of its own rank",
          text("Start ", report::counted(params.workers, "rank"), "."));
  require(split || params.workers <= params.batch, text(params.workers, " workers for a batch of ", params.batch),
          "some would have no samples in any step", "Raise --batch.");
}

/// The most ranks that can share this many workers equally.
int ranks_for(int workers, int ranks) {
  int most = std::min(workers, ranks);
  while (workers % most != 0) --most;
  return most;
}

}  // namespace

double validation_share(const std::string& word) {
  if (word == "none") return 0;
  char* end = nullptr;
  const double share = std::strtod(word.c_str(), &end);
  require(!word.empty() && *end == '\0' && share > 0 && share <= 0.5, text("bad --validation '", word, "'"),
          "expected none, or the share of the training part that validates, above 0 and up to 0.5", "For example 0.1.");
  return share;
}

TrainLayout lay_out_train(const TrainParams& params, const training::TrainTask& task, int ranks) {
  check_taken(params);
  const NetworkKind& kind = network_kind(params.network);
  TrainLayout layout;
  layout.params = with_defaults(params);
  layout.setup.ranks = ranks;
  const int n = task.train_size();
  constexpr int usual_batch = 64;
  if (layout.params.batch == 0) layout.params.batch = std::min(usual_batch, n);
  if (layout.params.epochs == 0) layout.params.epochs = kind.epochs(n, layout.params.batch);
  check_numbers(layout.params, n);
  set_workers(layout, kind);
  layout.setup.workers = layout.params.workers;
  layout.setup.seed = params.seed;
  layout.setup.precision = precision_of(params.precision);
  layout.setup.keeps_best = task.validates();
  layout.setup.training = {.epochs = layout.params.epochs,
                           .stop_ratio = layout.params.stop_ratio,
                           .batch = layout.params.batch,
                           .rate = *layout.params.rate,
                           .momentum = params.momentum,
                           .stream = {.seed = params.seed, .purpose = random_purpose_sample_order}};
  kind.lay_out(layout, task);
  return layout;
}

std::vector<TrainLayout> lay_out_names(const NamesParams& params, const training::TrainTask& task, int ranks) {
  const int n = task.train_size();
  std::vector<int> batches = params.batch_per_worker;
  if (batches.empty()) {
    const int least = n >= 16384 ? 1024 : std::max(1, n / 76);
    batches = {least, 4 * least, 16 * least};
  }
  std::vector<TrainLayout> layouts;
  for (const int workers : params.workers) {
    require(workers <= n, text("bad --workers ", workers), text("more workers than names to train on, which are ", n));
    for (const int batch : batches) {
      for (const double rate : params.rate) {
        TrainParams one;
        one.network = "lstm";
        one.data = params.data;
        one.limit = params.limit;
        one.workers = workers;
        one.batch = static_cast<int>(std::min<std::int64_t>(std::int64_t{batch} * workers, n));
        one.rate = rate;
        one.epochs = params.epochs;
        one.layers = params.layers;
        one.hidden = {params.hidden};
        one.window = params.window;
        one.dropout = params.dropout;
        one.seed = params.seed;
        const auto same = [&](const TrainLayout& layout) {
          return layout.params.workers == workers && layout.params.batch == one.batch && *layout.params.rate == rate;
        };
        // Batches that are limited to the number of names may become equal.
        if (std::none_of(layouts.begin(), layouts.end(), same))
          layouts.push_back(lay_out_train(one, task, ranks_for(workers, ranks)));
      }
    }
  }
  return layouts;
}

}  // namespace krossfold::studies
