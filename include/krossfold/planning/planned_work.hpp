// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a plan needs to know about a study of any kind: its units, their times and their dependencies.

#include <map>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"

namespace krossfold::planning {

/// A unit and its time.
struct PlanUnit {
  Unit unit;           ///< key, cost, affinity and priority as the study itself gives them: the queue decides by them
  double seconds = 0;  ///< on a rank of speed 1
  bool estimated = false;
};

/// Units that become ready together, when all units of the stages in `after` are done.
struct PlanStage {
  std::string name;  ///< "search", "refit"
  std::vector<PlanUnit> units;
  std::vector<int> after;  ///< earlier stages
};

/// Duration of a claim by a rank other than 0 if it was not measured: the farm polls at both ends, every 0.3 ms.
inline constexpr double usual_claim_seconds = 1e-3;

/// A study whose farm is to be simulated. Each kind of study derives it from a result file (its `stage_times`).
struct PlannedWork {
  std::string name;         ///< of the result file
  std::string description;  ///< "SVM search on digits"
  std::string status, formation, schedule;
  bool on_devices = false;        ///< the ranks have GPUs
  std::uint64_t seed = 0;         ///< for Schedule::shuffled
  double root_claim_seconds = 0;  ///< mean time between the end of a unit and the start of the next, on rank 0
  double claim_seconds = usual_claim_seconds;  ///< the same on the other ranks
  double setup_seconds = -1;                   ///< before the first unit; -1 if it is not known
  double farm_seconds = 0;                     ///< measured, from the first claim to the last end, over all runs
  std::vector<PlanStage> stages;
  std::vector<std::string> warnings;  ///< about estimates based on little data

  int units() const;
  int estimated() const;
  /// Computing time of all units, and of those that are estimated.
  double seconds() const;
  double estimated_seconds() const;
  /// Length of the longest chain of units that depend on one another; no formation of speed 1 is faster.
  double critical_path() const;
};

/// Releases the units in the order in which the study itself does. The work must outlive it.
class PlanStudy : public Study {
public:
  explicit PlanStudy(const PlannedWork& work);
  std::vector<Unit> initial() override;
  std::vector<Unit> on_record(const Record& record) override;

private:
  std::vector<Unit> begin_ready();

  const PlannedWork& work_;
  std::map<UnitKey, std::size_t> stage_of_;
  std::vector<std::size_t> left_;  ///< (stage): units without a record
  std::vector<bool> begun_;
};

}  // namespace krossfold::planning
