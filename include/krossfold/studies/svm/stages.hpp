// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/studies/svm/payload.hpp"

namespace krossfold::studies {

/// Units that become ready together, when all units of the stage before have records.
struct SvmStage {
  std::uint32_t unit = svm_unit_fold;  ///< the kind of its units
  int round = 0;                       ///< of a search: 0 for the grid
  std::string name;                    ///< "search", "round 1", "out-of-fold", "refit"
};

/// The stages of a search: the grid, `rounds` rounds of refinement, the out-of-fold decision values of the best cell, the
/// refit if it is wanted.
std::vector<SvmStage> svm_stages(int rounds, bool refit);

/// A number that grows from stage to stage: a unit may depend on the records of all earlier stages.
int svm_stage(const UnitKey& key);

/// The relative duration of the units of a gamma at a position in the range of log gamma from 0 to 1: 1 in the middle
/// and 2 at the ends, where the problems are hardest: with a small gamma most samples stay at their bounds, with a
/// large one every sample becomes a support vector. A guess, which measured times correct.
inline double relative_cost(double position) { return 1 + (2 * position - 1) * (2 * position - 1); }

/// Keys, costs and affinities of the units of a search. Costs are element operations, a first guess that measured times
/// correct for each gamma. Units of equal gamma have the same affinity in all rounds.
struct SvmUnits {
  int samples = 0, folds = 0, classes = 0;
  std::vector<std::vector<double>> gamma;  ///< (round): ascending, at most 10,000 values each; round 0 is the grid

  /// The units (gamma, fold) of a round, each a path over `cs` values of C.
  std::vector<Unit> search(int round, std::size_t cs) const;
  /// The units (fold) that find the out-of-fold decision values of a cell of a round with `cs` values of C.
  std::vector<Unit> out_of_fold(const Cell& cell, std::size_t cs) const;
  Unit refit(const Cell& cell) const;
  /// The units (gamma, fold) of the search within an outer fold.
  std::vector<Unit> nested(int outer, std::size_t cs) const;
  /// The unit that finds the decision values of an outer fold at the best cell of its search.
  Unit outer_test(int outer, const Cell& cell) const;

  int repeats = 1;      ///< of the folds
  int outer_folds = 0;  ///< of nested cross-validation

private:
  double path_cost(std::size_t cs) const;
  std::int64_t affinity(double value) const;
  std::int64_t affinity(const Cell& cell) const;
};

}  // namespace krossfold::studies
