// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/studies/svm/payload.hpp"

namespace krossfold::studies {

/// Units of several folds of a gamma, which one rank solves along one path: a device needs the problems of all of them to be busy.
/// Such a unit has a record for each fold and the key of the last, so that it counts as not done if some of its records were lost.
/// Folds are joined in the study and not by the ranks: only the study knows which of them are handed out or done.
class JoinedFolds {
public:
  /// together: folds of a unit; folds t, ..., t + together - 1 are joined for each multiple t of it.
  explicit JoinedFolds(int together) : together_(together) {}

  /// Joins units (gamma, fold) of a search, sorted by gamma and fold; their input names the folds, gamma and C.
  /// gamma, c: of the search. A unit that stays alone stays as it is.
  std::vector<Unit> join(const std::vector<Unit>& units, const std::vector<double>& gamma,
                         const std::vector<double>& c);

  /// The units, each of one fold, that are still to be done once the key of a joined unit has a record: the unit failed, or an
  /// earlier run that joined other folds has computed this one. has: whether there is a record of a key.
  std::vector<Unit> left_open(const UnitKey& key, const std::function<bool(const UnitKey&)>& has) const;

private:
  int together_;
  std::map<UnitKey, std::vector<Unit>> others_;  ///< (joined unit): the units of its other folds
};

/// The folds of a unit for all ranks: as many as each of them plans for, but no more than leave a unit for every rank, at least one.
/// planned: (rank), see MemoryPlan; gammas: of a search, those of each part counted; folds: of a gamma.
int common_folds(const std::vector<std::int64_t>& planned, std::int64_t gammas, int folds);

}  // namespace krossfold::studies
