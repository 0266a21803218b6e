// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What `krossfold plan` knows of a study of any kind: its units, what they took, and which wait for which.

#include <map>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"

namespace krossfold::planning {

/// A unit and its time.
struct PlanUnit {
  Unit unit;           ///< key, cost, affinity and priority as the study itself gives them: the queue decides by them
  double seconds = 0;  ///< on a rank of the study whose times these are
  bool estimated = false;
};

/// Units that become ready together, when all units of the stages in `after` are done.
struct PlanStage {
  std::string name;  ///< "search", "refit"
  std::vector<PlanUnit> units;
  std::vector<int> after;  ///< earlier stages
};

/// What a claim of a rank other than 0 takes where it was not measured: waits of the farm at both ends, of up to 0.3 ms each.
inline constexpr double usual_claim_seconds = 1e-3;

/// A study whose farm is to be simulated. Each kind of study has a function that makes one of a result file (svm_plan.hpp).
struct PlannedWork {
  std::string name;         ///< of the file
  std::string description;  ///< "SVM search on digits"
  std::string status, formation, schedule;
  bool on_devices = false;        ///< the ranks have GPUs
  std::uint64_t seed = 0;         ///< of Schedule::shuffled
  double root_claim_seconds = 0;  ///< mean time from the end of a unit to the begin of the next one on rank 0
  double claim_seconds = usual_claim_seconds;  ///< the same on other ranks
  double setup_seconds = -1;                   ///< before the first unit; -1 if it is not known
  double farm_seconds = 0;  ///< measured: from the first claim to the last end, of all runs of the study
  std::vector<PlanStage> stages;
  std::vector<std::string> warnings;  ///< of estimates that rest on little

  int units() const;
  int estimated() const;
  /// Computing time of all units, and of those estimated.
  double seconds() const;
  double estimated_seconds() const;
  /// The longest chain of units that wait for one another: no formation of speed 1 is faster.
  double critical_path() const;
};

/// Hands the units out as the study itself does. Keeps a reference to the work.
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
