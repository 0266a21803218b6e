// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "krossfold/run/memory_budget.hpp"
#include "krossfold/run/run_study.hpp"
#include "krossfold/studies/bag/executor.hpp"
#include "krossfold/studies/bag/ood_images.hpp"
#include "krossfold/studies/bag/units.hpp"

namespace krossfold::studies {

/// A study of `krossfold bag`. When failed trials are computed again, the final fits are kept; one whose trial is no
/// longer the chosen one is not used.
class BagCase : public run::StudyCase {
public:
  BagCase(const run::RunContext& context, const BagParams& params);
  void print_plan(std::ostream& out) const override;
  void require_memory() const override;
  void write_result(const std::vector<Record>& records, storage::Container& content) override;
  bool prepare() override;
  std::vector<run::Phase> phases() override { return {{*study_}}; }
  Executor& executor() override { return *executor_; }
  std::string failure(const std::vector<Record>& records) const override;
  std::string divergence(const Record& record) const override;
  std::vector<run::LoggedEpoch> epochs_of(const Record& record) const override;

private:
  /// Bytes of the training of each trial, in the order of (bootstrap, trial).
  std::vector<std::uint64_t> trial_bytes() const;

  data::Task task_;
  BagLayout search_;
  OodImages ood_;
  std::uint64_t samples_bytes_ = 0;  ///< of the scaled samples
  run::MemoryBound bound_;           ///< of the networks
  std::unique_ptr<BagExecutor> executor_;
  std::unique_ptr<BagStudy> study_, written_;  ///< one for the farm, one for the result file
};

}  // namespace krossfold::studies
