// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/run.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <iostream>
#include <limits>
#include <memory>

#include "krossfold/core/text.hpp"
#include "krossfold/data/pictures.hpp"
#include "krossfold/data/spec.hpp"
#include "krossfold/parallel/broadcast_task.hpp"
#include "krossfold/run/memory_budget.hpp"
#include "krossfold/studies/bag/executor.hpp"
#include "krossfold/studies/bag/layout.hpp"
#include "krossfold/studies/bag/ood_images.hpp"
#include "krossfold/studies/bag/payload.hpp"
#include "krossfold/studies/bag/report.hpp"
#include "krossfold/studies/bag/result.hpp"
#include "krossfold/studies/bag/units.hpp"

namespace krossfold::studies {

namespace {

storage::Fingerprint fingerprint_of(const BagLayout& search, const data::Task& task, const data::Dataset& given) {
  BagParams params = search.params;
  params.kernel = search.kernel;  // the range as it was used
  params.ood = "";                // counts by its values
  storage::Fingerprint print = run::make_fingerprint(run::fingerprint_text(options_of(params)), task);
  print.data ^= std::rotl(given.digest, 17);
  return print;
}

/// What --ood names: labels, if there are any, are those of other classes.
data::Dataset load_ood(const std::string& spec, const data::Dataset& train) {
  const std::vector<std::string> pictures = data::picture_files(spec);
  if (!pictures.empty()) return data::load_pictures(pictures, data::kind_of_images(train), {}).samples;
  return data::load_input(spec, train.features(), {});
}

void print_plan(const BagLayout& search, const run::RunContext& context, const run::MemoryBound& bound) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max(), most = 0;
  int too_large = 0;
  for (int b = 0; b < search.params.bootstraps; ++b) {
    for (int t = 0; t < search.params.trials; ++t) {
      const std::uint64_t bytes = training_bytes(search, search.architecture(draw_trial(search, b, t)));
      least = std::min(least, bytes);
      most = std::max(most, bytes);
      too_large += bytes > bound.bytes ? 1 : 0;
    }
  }
  const int units = search.params.bootstraps * search.params.trials * search.folds.folds();
  std::cout << "units    " << units << " (bootstrap, trial, fold)" << (search.params.prune ? " at most" : "")
            << "; then " << search.params.bootstraps << " final fits\nsamples  " << search.samples << " training, "
            << search.test_samples << " test, images of " << search.image.width << " x " << search.image.height
            << "\nmemory   networks of " << size_text(least) << " to " << size_text(most);
  if (too_large > 0) std::cout << "; " << too_large << " trials do not fit: " << bound.why;
  std::cout << "\ndevices  " << parallel::describe(context.places) << "\n";
}

class BagCase : public run::StudyCase {
public:
  BagCase(const run::RunParams& run, const BagLayout& search, const data::Task& task, const OodImages& ood,
          run::MemoryBound bound, const storage::Fingerprint& print)
      : run_(run), search_(search), task_(task), ood_(ood), bound_(std::move(bound)) {
    kind = "bag";
    progress = "bagging";
    fingerprint = print;
    seed = search.params.seed;
    config = run::to_json(options_of(search.params));
  }

  /// A final fit stays if failed trials are computed again: one of another trial is not used.
  int stage(const UnitKey&) const override { return 0; }

  storage::Container result(const std::vector<Record>& records, const run::RunFacts& facts) const override {
    return make_bag_result(search_, task_, ood_, records, facts);
  }

  report::Document report(const run::ResultFile& file) const override { return bag_document(file); }
  bool prepare() override {
    const run::CheckpointParams parts{run::identity_of(fingerprint), run_.checkpoint_every};
    executor_ = std::make_unique<BagExecutor>(search_, task_, ood_, bound_, parts);
    study_ = std::make_unique<BagStudy>(search_);
    return true;
  }

  std::vector<run::Phase> phases() override { return {{*study_}}; }
  std::vector<run::LoggedEpoch> epochs_of(const Record& record) const override {
    const TrainingSummary training = record.key.kind == bag_unit_final
                                         ? FinalResult::from_bytes(record.payload).training
                                         : TrialResult::from_bytes(record.payload).training;
    std::vector<run::LoggedEpoch> epochs;
    for (const double loss : training.epoch_loss) {
      run::LoggedEpoch& epoch = epochs.emplace_back();
      epoch.epoch = static_cast<int>(epochs.size());
      epoch.loss = loss;
    }
    return epochs;
  }
  Executor& executor() override { return *executor_; }

private:
  const run::RunParams& run_;
  const BagLayout& search_;
  const data::Task& task_;
  const OodImages& ood_;
  run::MemoryBound bound_;
  std::unique_ptr<BagExecutor> executor_;
  std::unique_ptr<BagStudy> study_;
};

}  // namespace

ExitCode run_bag(const run::RunContext& context, const BagParams& params, const run::RunParams& run) {
  const auto began = std::chrono::steady_clock::now();
  const parallel::Communicator& comm = context.comm;
  const data::Task task = parallel::load_and_broadcast(comm, [&] {
    return data::load_task({params.data, params.test, params.limit});
  });
  const data::Task given = parallel::load_and_broadcast(comm, [&] {
    data::Task only;
    if (!params.ood.empty()) only.test = load_ood(params.ood, task.train);
    return only;
  });
  BagLayout search;
  OodImages ood;
  parallel::on_all(comm, [&] {
    search = lay_out_bag(params, task);
    ood = gather_ood(task, params.seed, given.test);
  });
  const run::MemoryBound bound = run::rank_memory(context, run);
  if (run.dry_run) {
    if (comm.is_root()) print_plan(search, context, bound);
    return ExitCode::done;
  }
  BagCase what(run, search, task, ood, bound, fingerprint_of(search, task, given.test));
  return run::run_study(context, run, began, what);
}

}  // namespace krossfold::studies
