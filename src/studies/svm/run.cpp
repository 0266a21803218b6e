// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/run.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>

#include "krossfold/core/text.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/parallel/broadcast_task.hpp"
#include "krossfold/parallel/gang.hpp"
#include "krossfold/parallel/stop_news.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/run/memory_budget.hpp"
#include "krossfold/studies/svm/joined_folds.hpp"
#include "krossfold/studies/svm/result.hpp"

namespace krossfold::studies {

namespace {

/// The share of the values of libsvm samples that are not 0; 1 for other data.
double filled_share(const data::Dataset& samples) {
  if (samples.first_index < 0) return 1;
  const double all = static_cast<double>(samples.size()) * samples.features();
  if (samples.is_sparse()) return static_cast<double>(samples.sparse.value.extent(0)) / all;
  const float* values = samples.raw.data();
  return 1 - static_cast<double>(std::count(values, values + samples.raw.size(), 0.0F)) / all;
}

/// The memory plan of this rank. Throws on every rank if there is none for one of them.
MemoryPlan plan_memory_of(const SvmLayout& search, const run::RunContext& context) {
  const run::MemoryBound bound = run::rank_memory(context);
  MemoryRoom room{.bytes = bound.bytes, .ranks = bound.ranks, .why = bound.why};
  if (context.places[context.comm.rank()].device < 0) {
    room.node_memory = parallel::free_node_memory();
    room.keeps_results = context.comm.is_root();  // those of a device lie in the memory of the host
  }
  MemoryPlan plan;
  parallel::on_all(context.comm, [&] { plan = plan_memory(search, room); });
  // Creating shared memory is collective, so that either all ranks share or none does.
  const auto shared = parallel::all_gather(context.comm, plan.shared_distances ? "shared" : "own");
  if (std::count(shared.begin(), shared.end(), "own") > 0) {
    room.node_memory = 0;
    parallel::on_all(context.comm, [&] { plan = plan_memory(search, room); });
  }
  return plan;
}

/// Squared distances that the ranks of a node compute together in `memory`; nothing if the run was stopped meanwhile.
std::optional<SharedDistances> share_distances(const SvmLayout& search, const data::Task& task,
                                               const run::StudyCase& study, parallel::NodeMemory& memory) {
  const int n = search.samples, stride = padded<float>(n);
  const Matrix<float, Host> whole(reinterpret_cast<float*>(memory.data()), n, stride);
  const Matrix<float, Host> distance = Kokkos::subview(whole, Kokkos::make_pair(0, n), Kokkos::make_pair(0, n));
  const auto points = svm::make_points<Host>(task.train, search.scale, search.point_form(task.train));
  parallel::StopNews news(study.context.comm, [&] { return study.ends_setup(); });
  try {
    svm::squared_distance<Host>(Host(), distance, points, {memory.rank(), memory.size()}, [&] {
      if (news.stopped()) throw Stopped();
    });
  } catch (const Stopped&) {
  }
  const bool complete = !news.finish();
  memory.barrier();
  if (!complete) return std::nullopt;
  SharedDistances all;
  // On a device the ranks share nothing, and the assignment would not compile; only a template discards it.
  [&](auto& shared) {
    if constexpr (std::is_same_v<Device, Host>) shared = distance;
  }(all.distance);
  all.unit = points.unit;
  return all;
}

}  // namespace

storage::Fingerprint svm_fingerprint(const SvmLayout& search, const data::Task& task) {
  SvmParams params = search.params;
  // The default depends on the data.
  if (svm::has_gamma(search.kernel.kind)) params.log10_gamma = search.log10_gamma;
  storage::Fingerprint print = run::make_fingerprint(options_of(params), task);
  // Older versions refined around another cell, and records of their second round must not count as those of this one.
  if (search.selection.one_standard_error && params.refine > 1)
    print.config += "centre of refinement = one cell of all rounds\n";
  // Older versions left it to rounding where all samples are at their bounds, which weights bring about.
  if (params.class_weight != "none" || task.train.weight.extent(0) > 0) {
    print.config += "bias of fits at their bounds = middle of what is optimal\n";
  }
  return print;
}

void agree_on_folds(MemoryPlan& plan, const parallel::Communicator& comm, std::int64_t gammas, int folds) {
  plan.folds_together = common_folds(parallel::gather_numbers(comm, plan.folds_together), gammas, folds);
  plan.folds_at_once = std::min(plan.folds_at_once, plan.folds_together);
}

SvmCase::SvmCase(const run::RunContext& context, const SvmParams& params) : StudyCase(context) {
  progress = "svm search";
  input::TaskParams data = params.task;
  data.kernel_matrix = params.kernel_function == svm::kernel_word(svm::KernelKind::precomputed);
  // The norms of the other kernels depend on the offset of the scale, which leaves no zeros.
  data.sparse = params.kernel_function == svm::kernel_word(svm::KernelKind::rbf);
  task_ = parallel::load_and_broadcast(context.comm, [&] { return input::load_task(data, params.seed); });
  parallel::on_all(context.comm, [&] { search_ = lay_out_svm(params, task_); });
  plan_ = plan_memory_of(search_, context);
  agree_on_folds(plan_, context.comm, static_cast<std::int64_t>(search_.gamma.size()), search_.folds.folds());
  fingerprint = svm_fingerprint(search_, task_);
  facts = {options_of(search_.params), params.seed, params.fold_kind, task_};
  facts.describe_features(task_.train, search_.scale);
  facts.warn(data::missing_classes(search_.folds, task_.train.label, task_.train.class_name, task_.train.weight));
  if (const std::string lacks = data::missing_in_nested(search_.nested, task_.train.label, task_.train.class_name);
      !lacks.empty())
    facts.warn({lacks});
  constexpr double mostly_zeros = 0.1;
  const bool by_feature = params.scale.empty() && !search_.scale.uniform();  // else images or given
  if (const double filled = filled_share(task_.train); by_feature && filled <= mostly_zeros) {
    facts.understood.push_back(text("only ", report::percent(filled),
                                    " of the values are not 0: the scale divides features by their standard "
                                    "deviations, which makes rare ones large; compare --scale none"));
  }
  if (search_.kernel.kind == svm::KernelKind::polynomial && search_.kernel.coef0 == 0 && search_.gamma.size() > 1) {
    facts.warn(
        {"with coef0 0, gamma only scales the polynomial kernel, as C does: one value of gamma is enough, or give "
         "coef0 1"});
  }
  if (search_.folds.kind == data::FoldKind::leave_one_out && params.folds != SvmParams().folds) {
    facts.warn({text("--folds ", params.folds, " is ignored: leave-one-out holds out each sample alone")});
  }
  study_ = std::make_unique<SvmStudy>(search_, task_.train.label, plan_.folds_together);
  written_ = std::make_unique<SvmStudy>(search_, task_.train.label);
}

void SvmCase::print_plan(std::ostream& out) const {
  const SvmParams& params = search_.params;
  const int folds = search_.folds.folds(), refined_units = refined_count(params.grid_gamma) * folds;
  out << "units    " << params.grid_gamma * folds << " (gamma, fold), each " << search_.c.size() << " C x "
      << search_.problems << " binary problems";
  if (params.outer > 0) {
    out << ", and " << params.outer * params.grid_gamma * params.folds << " of nested cross-validation";
  }
  if (params.refine > 0) out << "; then " << params.refine << " finer grids of " << refined_units << " units";
  out << "; then " << folds + params.outer << " for the out-of-fold predictions";
  if (params.refit) out << "; then the refit";
  out << "\nsamples  " << search_.samples << " training, " << search_.test_samples << " test, " << search_.features
      << " features" << (task_.train.is_sparse() ? ", sparse" : "") << "\nmemory   " << describe(plan_)
      << with_program(plan_, task_) << "\n";
}

void SvmCase::write_result(const std::vector<Record>& records, storage::Container& content) {
  write_svm_result(search_, task_, records, *written_, content);
}

/// Collective: the ranks of any GPU may be those that lose.
void SvmCase::warn_of_shared_device() const {
  const parallel::RankPlace& mine = context.places[context.comm.rank()];
  std::string loss;
  if (mine.device >= 0 && context.run.memory_limit == 0) {
    const auto ranks = std::count_if(context.places.begin(), context.places.end(),
                                     [&](const auto& place) { return place.shares_device(mine); });
    const run::MemoryBound bound = run::rank_memory(context);
    const MemoryRoom room{.bytes = bound.bytes, .ranks = bound.ranks, .why = bound.why};
    loss = loss_by_sharing(search_, room, static_cast<int>(ranks), plan_);
  }
  for (const std::string& one : parallel::all_gather(context.comm, loss)) {
    if (one.empty()) continue;
    context.log.warn(one);
    return;
  }
}

bool SvmCase::prepare() {
  context.log.info(text("memory: ", describe(plan_)));
  warn_of_shared_device();
  if (plan_.mode == KernelMode::points_rows) {
    context.log.info(
        "the kernel matrix does not fit; --partition voronoi:2000 would train in parts, in a fraction of the time");
  }
  std::optional<SharedDistances> shared = SharedDistances();
  if (plan_.shared_distances) {
    const auto n = static_cast<std::uint64_t>(search_.samples);
    node_memory_ =
        std::make_unique<parallel::NodeMemory>(context.comm, sizeof(float) * n * padded<float>(search_.samples));
    shared = share_distances(search_, task_, *this, *node_memory_);
  }
  executor_ = std::make_unique<SvmExecutor>(search_, task_, plan_, shared.value_or(SharedDistances()),
                                            run::checkpoint_params(*this));
  return shared.has_value();
}

}  // namespace krossfold::studies
