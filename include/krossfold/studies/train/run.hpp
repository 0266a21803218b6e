// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "krossfold/run/memory_budget.hpp"
#include "krossfold/run/run_study.hpp"
#include "krossfold/studies/train/executor.hpp"
#include "krossfold/studies/train/load_task.hpp"
#include "krossfold/studies/train/result.hpp"

namespace krossfold::studies {

/// Trainings on the same data. Those on the fewest ranks are computed first; gangs of fewer than all ranks run side by side.
class TrainingsCase : public run::StudyCase {
public:
  void print_plan(std::ostream& out) const override;
  void require_memory() const override;
  void write_result(const std::vector<Record>& records, storage::Container& content) override;
  std::string failure(const std::vector<Record>& records) const override;
  bool prepare() override;
  std::vector<run::Phase> phases() override;
  Executor& executor() override { return *executor_; }
  std::string divergence(const Record& record) const override;
  /// The epochs of the gang of rank 0 were logged when they ended.
  std::vector<run::LoggedEpoch> epochs_of(const Record& record) const override;

protected:
  using StudyCase::StudyCase;
  /// To be called once loaded_ and runs_ are set.
  void set_up(const std::vector<run::OptionValue>& options);

  LoadedTask loaded_;
  std::vector<TrainLayout> runs_;

private:
  /// The runs on one number of ranks.
  struct SomeRuns : Study {
    std::vector<Unit> units;
    std::vector<Unit> initial() override { return units; }
    std::vector<Unit> on_record(const Record&) override { return {}; }
  };

  std::uint64_t bytes_of(const TrainLayout& layout) const;

  run::MemoryBound bound_;
  std::map<int, SomeRuns> by_width_;
  mutable std::mutex mutex_;              ///< guards logged_, which trainings extend and the manager of the farm reads
  std::set<std::pair<int, int>> logged_;  ///< (run, epoch)
  std::unique_ptr<TrainExecutor> executor_;
};

/// A training of `krossfold train`.
struct TrainCase : TrainingsCase {
  TrainCase(const run::RunContext& context, const TrainParams& given);
};

/// The trainings of `krossfold names`: the character model with every combination of workers, batch per worker and rate.
struct NamesCase : TrainingsCase {
  NamesCase(const run::RunContext& context, const NamesParams& params);
};

}  // namespace krossfold::studies
