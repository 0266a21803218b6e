// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "krossfold/parallel/node_memory.hpp"
#include "krossfold/run/run_study.hpp"
#include "krossfold/studies/svm/executor.hpp"
#include "krossfold/studies/svm/memory.hpp"
#include "krossfold/studies/svm/units.hpp"

namespace krossfold::studies {

/// What a result file must have been computed with to be continued.
storage::Fingerprint svm_fingerprint(const SvmLayout& search, const data::Task& task);

/// Makes the folds of a unit the same on all ranks, see common_folds(). Collective.
void agree_on_folds(MemoryPlan& plan, const parallel::Communicator& comm, std::int64_t gammas, int folds);

/// A search of `krossfold svm`.
class SvmCase : public run::StudyCase {
public:
  SvmCase(const run::RunContext& context, const SvmParams& params);
  void print_plan(std::ostream& out) const override;
  int stage(const UnitKey& key) const override { return svm_stage(key); }
  void write_result(const std::vector<Record>& records, storage::Container& content) override;
  bool prepare() override;
  std::vector<run::Phase> phases() override { return {{*study_}}; }
  Executor& executor() override { return *executor_; }

private:
  void warn_of_shared_device() const;

  data::Task task_;
  SvmLayout search_;
  MemoryPlan plan_;
  std::unique_ptr<parallel::NodeMemory> node_memory_;  ///< of the squared distances, if the ranks of a node share them
  std::unique_ptr<SvmExecutor> executor_;
  std::unique_ptr<SvmStudy> study_, written_;  ///< one for the farm, one for the result file
};

}  // namespace krossfold::studies
