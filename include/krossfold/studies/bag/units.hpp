// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/studies/bag/layout.hpp"
#include "krossfold/studies/bag/payload.hpp"

namespace krossfold::studies {

/// The trial of a bootstrap's final fit: the one with the lowest mean error over its folds; ties go to the lowest
/// number. Returns nothing if no trial has all its folds, or if each of them diverged in every fold. error, diverged: (trial,
/// fold), the error NaN where there is none, and 1 where training diverged.
std::optional<int> best_trial(const std::vector<double>& error, const std::vector<bool>& diverged, int trials,
                              int folds);

/// The priority of the trials of each bootstrap: 0 for the one whose longest possible final fit costs most, lower for
/// the others.
std::vector<int> bag_priorities(const std::vector<double>& longest);

/// The units of a bagging study: one for every (bootstrap, trial, fold), and the final fit of a bootstrap as soon as
/// its trials have all their records. With search.folds_together the folds of a trial are one unit (folds_of() in
/// payload.hpp). With pruning, the folds of a trial come one after the other, as long as it can win.
///
/// Bootstraps follow one another, those with the longest possible final fit first, so that final fits become ready
/// early and none is left alone at the end; within a bootstrap the longest unit goes first.
class BagStudy : public Study {
public:
  explicit BagStudy(const BagLayout& search);
  std::vector<Unit> initial() override;
  std::vector<Unit> on_record(const Record& record) override;
  std::vector<Unit> outlook() const override;

  /// (bootstrap, trial, fold): fraction of the held-out draws misclassified, 1 where training diverged, NaN without a
  /// result or where pruned() is true.
  std::vector<double> fold_error() const;
  /// (bootstrap, trial, fold): true where pruning skips the fold: the folds before it alone make the trial's mean error
  /// no lower than that of a trial with a lower number (which wins ties), or one of them failed. A fold that was
  /// computed before that was known has no effect: results are independent of completion order.
  std::vector<bool> pruned() const;
  /// The trial of a bootstrap's final fit, once it is known.
  std::optional<int> chosen(int bootstrap) const;

private:
  bool settled(int bootstrap, int trial) const;
  bool cannot_win(int bootstrap, int trial, int folds) const;
  double sum_of_folds(int bootstrap, int trial, int folds) const;
  void complete(int bootstrap, int trial);
  Unit make_unit(const UnitKey& key, int samples, int priority) const;
  Unit trial_unit(int bootstrap, int trial, int fold) const;
  Unit trial_unit_of_all_folds(int bootstrap, int trial) const;
  Unit final_unit(int bootstrap, int trial) const;

  const BagLayout& search_;
  std::vector<std::vector<Trial>> trial_;  ///< (bootstrap)(trial)
  std::vector<double> fold_error_;
  std::vector<bool> seen_, failed_;  ///< (bootstrap, trial, fold): has a record; has one of a failure
  std::vector<bool> diverged_;       ///< (bootstrap, trial, fold): has one of a training that diverged
  std::vector<std::vector<double>>
      to_beat_;  ///< (bootstrap)(trial): the least sum of fold errors of the trials before it that are complete
  std::vector<bool> handed_out_;  ///< (bootstrap): the final fit
  std::vector<Unit> later_;       ///< (bootstrap): a final fit of mean cost, for the outlook
  std::vector<int> priority_;     ///< (bootstrap)
};

}  // namespace krossfold::studies
