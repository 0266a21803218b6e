// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/run.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <type_traits>

#include "krossfold/core/text.hpp"
#include "krossfold/data/spec.hpp"
#include "krossfold/parallel/broadcast_task.hpp"
#include "krossfold/parallel/node_memory.hpp"
#include "krossfold/parallel/stop_news.hpp"
#include "krossfold/run/memory_budget.hpp"
#include "krossfold/studies/svm/executor.hpp"
#include "krossfold/studies/svm/memory.hpp"
#include "krossfold/studies/svm/payload.hpp"
#include "krossfold/studies/svm/report.hpp"
#include "krossfold/studies/svm/result.hpp"
#include "krossfold/studies/svm/units.hpp"

namespace krossfold::studies {

namespace {

storage::Fingerprint fingerprint_of(const SvmLayout& search, const data::Task& task) {
  SvmParams params = search.params;
  params.log10_gamma = search.log10_gamma;  // the range as it was used
  return run::make_fingerprint(run::fingerprint_text(options_of(params)), task);
}

/// The plan for this rank. Throws on every rank if it does not suit one of them.
MemoryPlan plan_memory_of(const SvmLayout& search, const run::RunContext& context, const run::RunParams& run) {
  const run::MemoryBound bound = run::rank_memory(context, run);
  MemoryRoom room;
  room.ranks = bound.ranks;
  room.bytes = bound.bytes;
  room.why = bound.why;
  if (context.places[context.comm.rank()].device < 0) room.node_memory = parallel::free_node_memory();
  MemoryPlan plan;
  parallel::on_all(context.comm, [&] { plan = plan_memory(search, room); });
  // Making shared memory is a step of all ranks together.
  const auto shared = parallel::all_gather(context.comm, plan.shared_distances ? "shared" : "own");
  if (std::count(shared.begin(), shared.end(), "own") > 0) {
    room.node_memory = 0;
    parallel::on_all(context.comm, [&] { plan = plan_memory(search, room); });
  }
  return plan;
}

/// Squared distances that the ranks of a node compute together and share.
struct NodeDistances {
  std::unique_ptr<parallel::NodeMemory> memory;
  SharedDistances shared;
  bool complete = true;  ///< false if the run was stopped on the way
};

NodeDistances share_distances(const SvmLayout& search, const data::Task& task, const run::RunContext& context) {
  const int n = search.samples, stride = padded<float>(n);
  NodeDistances node;
  node.memory = std::make_unique<parallel::NodeMemory>(
      context.comm, sizeof(float) * static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(stride));
  const Matrix<float, Host> whole(reinterpret_cast<float*>(node.memory->data()), n, stride);
  const Matrix<float, Host> distance = Kokkos::subview(whole, Kokkos::make_pair(0, n), Kokkos::make_pair(0, n));
  const auto points = svm::make_points<Host>(task.train, search.scale, svm::best_form(task.train, search.scale));
  parallel::StopNews news(context.comm, context.stop_requested);
  try {
    svm::squared_distance<Host>(Host(), distance, points, {node.memory->rank(), node.memory->size()}, [&] {
      if (news.stopped()) throw Stopped();
    });
  } catch (const Stopped&) {
  }
  node.complete = !news.finish();
  node.memory->barrier();
  // Only a template discards what does not compile for a device: there the ranks share nothing.
  [&](auto& shared) {
    if constexpr (std::is_same_v<Device, Host>) shared = distance;
  }(node.shared.distance);
  node.shared.unit = points.unit;
  return node;
}

void print_plan(const SvmLayout& search, const run::RunContext& context, const MemoryPlan& plan) {
  const int refined_units = refined_count(search.params.grid_gamma) * search.folds.folds();
  std::cout << "units    " << search.gamma.size() * static_cast<std::size_t>(search.folds.folds())
            << " (gamma, fold), each " << search.c.size() << " C x " << search.problems << " binary problems"
            << (search.params.refine > 0
                    ? text("; then ", search.params.refine, " finer grids of ", refined_units, " units")
                    : "")
            << (search.params.probability ? text("; then ", search.folds.folds(), " for the probabilities") : "")
            << (search.params.refit ? "; then the refit" : "") << "\nsamples  " << search.samples << " training, "
            << search.test_samples << " test, " << search.features << " features\nmemory   " << describe(plan)
            << "\ndevices  " << parallel::describe(context.places) << "\n";
}

class SvmCase : public run::StudyCase {
public:
  SvmCase(const run::RunContext& context, const run::RunParams& run, const SvmLayout& search, const data::Task& task,
          const MemoryPlan& plan)
      : context_(context), run_(run), search_(search), task_(task), plan_(plan) {
    kind = "svm";
    progress = "svm search";
    fingerprint = fingerprint_of(search, task);
    seed = search.params.seed;
    config = run::to_json(options_of(search.params));
  }

  int stage(const UnitKey& key) const override { return svm_stage(key); }

  storage::Container result(const std::vector<Record>& records, const run::RunFacts& facts) const override {
    return make_svm_result(search_, task_, records, facts);
  }

  report::Document report(const run::ResultFile& file) const override { return svm_document(file); }
  bool prepare() override {
    context_.log.info(text("memory: ", describe(plan_)));
    if (plan_.shared_distances) node_ = share_distances(search_, task_, context_);
    const run::CheckpointParams parts{run::identity_of(fingerprint), run_.checkpoint_every};
    executor_ = std::make_unique<SvmExecutor>(search_, task_, plan_, node_.shared, parts);
    study_ = std::make_unique<SvmStudy>(search_, task_.train.label);
    return node_.complete;
  }

  std::vector<run::Phase> phases() override { return {{*study_}}; }
  Executor& executor() override { return *executor_; }

private:
  const run::RunContext& context_;
  const run::RunParams& run_;
  const SvmLayout& search_;
  const data::Task& task_;
  const MemoryPlan& plan_;
  NodeDistances node_;
  std::unique_ptr<SvmExecutor> executor_;
  std::unique_ptr<SvmStudy> study_;
};

}  // namespace

ExitCode run_svm(const run::RunContext& context, const SvmParams& params, const run::RunParams& run) {
  const auto began = std::chrono::steady_clock::now();
  const parallel::Communicator& comm = context.comm;
  const data::Task task = parallel::load_and_broadcast(comm, [&] {
    return data::load_task({params.data, params.test, params.limit});
  });
  SvmLayout search;
  parallel::on_all(comm, [&] { search = lay_out_svm(params, task); });
  const MemoryPlan plan = plan_memory_of(search, context, run);
  if (run.dry_run) {
    if (comm.is_root()) print_plan(search, context, plan);
    return ExitCode::done;
  }
  SvmCase what(context, run, search, task, plan);
  return run::run_study(context, run, began, what);
}

}  // namespace krossfold::studies
