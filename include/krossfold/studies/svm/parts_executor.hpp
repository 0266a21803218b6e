// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/run/checkpoint.hpp"
#include "krossfold/studies/svm/executor.hpp"
#include "krossfold/studies/svm/parts_layout.hpp"

namespace krossfold::studies {

/// Computes the units of a PartsStudy on this rank's device. It holds the samples, distances and kernel matrix of one part at a time,
/// and leaves the work to an SvmExecutor for these.
class PartsExecutor : public Executor {
public:
  /// plan: of the largest part.
  PartsExecutor(const PartsLayout& search, const data::Task& task, const MemoryPlan& plan = {},
                const run::CheckpointParams& parts = {});
  ~PartsExecutor() override;
  std::vector<Record> run(const Unit& unit, UnitContext& context) override;
  void release() override;

private:
  struct Current;

  Current& at(int part);
  std::vector<Record> in_part(const Unit& unit, const Unit& inner, int weights, UnitContext& context);
  RefitResult join(const Unit& unit, UnitContext& context, const Poll& poll);

  const PartsLayout& search_;
  const data::Task& task_;
  MemoryPlan plan_;
  run::CheckpointParams parts_;
  std::unique_ptr<Current> current_;
};

}  // namespace krossfold::studies
