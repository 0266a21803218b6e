// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/run_svm.hpp"

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
#include "krossfold/study/rank_memory.hpp"
#include "krossfold/study/svm_executor.hpp"
#include "krossfold/study/svm_memory.hpp"
#include "krossfold/study/svm_records.hpp"
#include "krossfold/study/svm_result.hpp"
#include "krossfold/study/svm_study.hpp"

namespace krossfold::study {

namespace {

storage::Fingerprint fingerprint_of(const SvmSearch& search, const data::Task& task) {
  SvmParams params = search.params;
  params.log10_gamma = search.log10_gamma;  // the range as it was used
  return make_fingerprint(fingerprint_text(options_of(params)), task);
}

/// The plan for this rank. Throws on every rank if it does not suit one of them.
MemoryPlan plan_memory_of(const SvmSearch& search, const Surroundings& around, const RunParams& run) {
  const MemoryBound bound = rank_memory(around, run);
  MemoryRoom room;
  room.ranks = bound.ranks;
  room.bytes = bound.bytes;
  room.why = bound.why;
  if (around.places[around.comm.rank()].device < 0) room.node_memory = parallel::free_node_memory();
  MemoryPlan plan;
  parallel::on_all(around.comm, [&] { plan = plan_memory(search, room); });
  // Making shared memory is a step of all ranks together.
  const auto shared = parallel::all_gather(around.comm, plan.shared_distances ? "shared" : "own");
  if (std::count(shared.begin(), shared.end(), "own") > 0) {
    room.node_memory = 0;
    parallel::on_all(around.comm, [&] { plan = plan_memory(search, room); });
  }
  return plan;
}

/// Squared distances that the ranks of a node compute together and share.
struct NodeDistances {
  std::unique_ptr<parallel::NodeMemory> memory;
  SharedDistances shared;
  bool complete = true;  ///< false if the run was stopped on the way
};

NodeDistances share_distances(const SvmSearch& search, const data::Task& task, const Surroundings& around) {
  const int n = search.samples, stride = padded<float>(n);
  NodeDistances node;
  node.memory = std::make_unique<parallel::NodeMemory>(
      around.comm, sizeof(float) * static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(stride));
  const Matrix<float, Host> whole(reinterpret_cast<float*>(node.memory->data()), n, stride);
  const Matrix<float, Host> distance = Kokkos::subview(whole, Kokkos::make_pair(0, n), Kokkos::make_pair(0, n));
  const auto points = svm::make_points<Host>(task.train, search.scale, svm::best_form(task.train, search.scale));
  parallel::StopNews news(around.comm, around.stop_requested);
  try {
    svm::squared_distance<Host>(Host(), distance, points, {node.memory->rank(), node.memory->size()}, [&] {
      if (news.stopped()) throw Stopped();
    });
  } catch (const Stopped&) {
  }
  node.complete = !news.finish();
  node.memory->barrier();
  if constexpr (std::is_same_v<Device, Host>) node.shared.distance = distance;
  node.shared.unit = points.unit;
  return node;
}

void print_plan(const SvmSearch& search, const Surroundings& around, const MemoryPlan& plan) {
  const int refined_units = refined_count(search.params.grid_gamma) * search.folds.folds();
  std::cout << "units    " << search.gamma.size() * static_cast<std::size_t>(search.folds.folds())
            << " (gamma, fold), each " << search.c.size() << " C x " << search.problems << " binary problems"
            << (search.params.refine > 0
                    ? text("; then ", search.params.refine, " finer grids of ", refined_units, " units")
                    : "")
            << (search.params.probability ? text("; then ", search.folds.folds(), " for the probabilities") : "")
            << (search.params.refit ? "; then the refit" : "") << "\nsamples  " << search.samples << " training, "
            << search.test_samples << " test, " << search.features << " features\nmemory   " << describe(plan)
            << "\ndevices  " << parallel::describe(around.places) << "\n";
}

class SvmCase : public StudyCase {
public:
  SvmCase(const Surroundings& around, const RunParams& run, const SvmSearch& search, const data::Task& task,
          const MemoryPlan& plan)
      : around_(around), run_(run), search_(search), task_(task), plan_(plan) {
    kind = "svm";
    progress = "svm search";
    fingerprint = fingerprint_of(search, task);
    seed = search.params.seed;
    config = to_json(options_of(search.params));
  }

  int stage(const UnitKey& key) const override { return svm_stage(key); }

  storage::Container result(const std::vector<Record>& records, const RunFacts& facts) const override {
    return make_svm_result(search_, task_, records, facts);
  }

  bool prepare() override {
    around_.log.info(text("memory: ", describe(plan_)));
    if (plan_.shared_distances) node_ = share_distances(search_, task_, around_);
    const PartParams parts{identity_of(fingerprint), run_.checkpoint_every};
    executor_ = std::make_unique<SvmExecutor>(search_, task_, plan_, node_.shared, parts);
    study_ = std::make_unique<SvmStudy>(search_, task_.train.label);
    return node_.complete;
  }

  std::vector<Phase> phases() override { return {{*study_}}; }
  Executor& executor() override { return *executor_; }

private:
  const Surroundings& around_;
  const RunParams& run_;
  const SvmSearch& search_;
  const data::Task& task_;
  const MemoryPlan& plan_;
  NodeDistances node_;
  std::unique_ptr<SvmExecutor> executor_;
  std::unique_ptr<SvmStudy> study_;
};

}  // namespace

ExitCode run_svm(const Surroundings& around, const SvmParams& params, const RunParams& run) {
  const auto began = std::chrono::steady_clock::now();
  const parallel::Communicator& comm = around.comm;
  const data::Task task = parallel::load_and_broadcast(comm, [&] {
    return data::load_task({params.data, params.test, params.limit});
  });
  SvmSearch search;
  parallel::on_all(comm, [&] { search = plan_svm(params, task); });
  const MemoryPlan plan = plan_memory_of(search, around, run);
  if (run.dry_run) {
    if (comm.is_root()) print_plan(search, around, plan);
    return ExitCode::done;
  }
  SvmCase what(around, run, search, task, plan);
  return run_study(around, run, began, what);
}

}  // namespace krossfold::study
