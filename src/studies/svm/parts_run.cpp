// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/parts_run.hpp"

#include <algorithm>

#include "krossfold/core/text.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/parallel/broadcast_task.hpp"
#include "krossfold/run/memory_budget.hpp"
#include "krossfold/studies/svm/parts_result.hpp"
#include "krossfold/studies/svm/run.hpp"

namespace krossfold::studies {

PartsCase::PartsCase(const run::RunContext& context, const SvmParams& params) : StudyCase(context) {
  progress = "svm search";
  task_ = parallel::load_and_broadcast(context.comm, [&] { return input::load_task(params.task, params.seed); });
  const run::MemoryBound bound = run::rank_memory(context);
  parallel::on_all(context.comm, [&] {
    search_ = lay_out_parts(params, task_);
    plan_ = plan_parts_memory(search_, {.bytes = bound.bytes, .ranks = bound.ranks, .why = bound.why});
  });
  agree_on_folds(plan_, context.comm, static_cast<std::int64_t>(search_.whole.gamma.size()) * search_.parts(),
                 search_.whole.folds.folds());
  fingerprint = svm_fingerprint(search_.whole, task_);
  facts = {options_of(search_.whole.params), params.seed, params.fold_kind, task_};
  facts.describe_features(task_.train, search_.whole.scale);
  facts.warn(data::missing_classes(search_.whole.folds, task_.train.label, task_.train.class_name, task_.train.weight));
  const auto size = static_cast<std::size_t>(svm::parse_partition(params.partition).size);
  if (search_.partition.largest() > 2 * size) {
    facts.warn({text("a part has ", search_.partition.largest(), " samples, more than twice the ", size,
                     " asked for: many samples are equal")});
  }
  study_ = std::make_unique<PartsStudy>(search_, plan_.folds_together);
  written_ = std::make_unique<PartsStudy>(search_);
}

std::string PartsCase::describe_memory() const { return text("of one part at a time: ", describe(plan_)); }

void PartsCase::print_plan(std::ostream& out) const {
  const SvmLayout& whole = search_.whole;
  std::size_t least = search_.partition.largest();
  int folds = 0;
  for (int p = 0; p < search_.parts(); ++p) {
    least = std::min(least, search_.partition.sample[p].size());
    for (int f = 0; f < whole.folds.folds(); ++f) folds += search_.held(p, f) > 0 ? 1 : 0;
  }
  out << "parts    " << search_.parts() << " (" << svm::name_of(search_.partition.kind) << ") of " << least << " to "
      << search_.partition.largest() << " samples\nunits    " << folds * static_cast<int>(whole.gamma.size())
      << " (part, gamma, fold), each " << whole.c.size() << " C x " << whole.problems << " binary problems; then "
      << folds << " for the out-of-fold predictions";
  if (whole.params.refit) out << " and " << search_.parts() << " refits; then the model of all parts";
  out << "\nsamples  " << whole.samples << " training, " << whole.test_samples << " test, " << whole.features
      << " features\nmemory   " << describe_memory() << with_program(plan_, task_) << "\n";
}

void PartsCase::write_result(const std::vector<Record>& records, storage::Container& content) {
  write_parts_result(search_, task_, records, *written_, content);
}

bool PartsCase::prepare() {
  context.log.info(text(search_.parts(), " parts; memory ", describe_memory()));
  executor_ = std::make_unique<PartsExecutor>(search_, task_, plan_, run::checkpoint_params(*this));
  return true;
}

}  // namespace krossfold::studies
