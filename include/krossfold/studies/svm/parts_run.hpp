// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "krossfold/run/run_study.hpp"
#include "krossfold/studies/svm/parts_executor.hpp"
#include "krossfold/studies/svm/parts_units.hpp"

namespace krossfold::studies {

/// A search of `krossfold svm --partition`.
class PartsCase : public run::StudyCase {
public:
  PartsCase(const run::RunContext& context, const SvmParams& params);
  void print_plan(std::ostream& out) const override;
  int stage(const UnitKey& key) const override { return parts_stage(key); }
  void write_result(const std::vector<Record>& records, storage::Container& content) override;
  bool prepare() override;
  std::vector<run::Phase> phases() override { return {{*study_}}; }
  Executor& executor() override { return *executor_; }

private:
  std::string describe_memory() const;

  data::Task task_;
  PartsLayout search_;
  MemoryPlan plan_;
  std::unique_ptr<PartsExecutor> executor_;
  std::unique_ptr<PartsStudy> study_, written_;  ///< one for the farm, one for the result file
};

}  // namespace krossfold::studies
