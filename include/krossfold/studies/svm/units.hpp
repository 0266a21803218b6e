// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/studies/svm/calibration.hpp"
#include "krossfold/studies/svm/joined_folds.hpp"
#include "krossfold/studies/svm/layout.hpp"
#include "krossfold/studies/svm/payload.hpp"
#include "krossfold/studies/svm/stages.hpp"

namespace krossfold::studies {

/// The grid, or a round of refinement.
struct SearchRound {
  std::vector<double> c, gamma;    ///< ascending
  std::vector<double> fold_error;  ///< (gamma, C, fold), NaN where not computed
  std::vector<double> selected;    ///< the same of the measure that selects the best cell
};

/// What nested cross-validation has found in an outer fold.
struct OuterFold {
  SearchRound search;            ///< on the samples outside the fold
  std::optional<Cell> best;      ///< of that search, once it has ended
  std::vector<double> decision;  ///< (problem, sample of the fold) by the machine of that cell; empty if not computed
  std::string failed;            ///< why there will be none
};

/// The units of an SVM search, stage after stage (svm_stages()): one for every (gamma, fold) of the grid, or for several folds of a
/// gamma (JoinedFolds); the same for each round of refinement around the best cell so far; one for every fold that finds the out-of-fold decision values of
/// the best cell; the refit at the best cell. Nested cross-validation adds a grid within each outer fold to the first stage, and
/// the test of each outer fold to that of the out-of-fold units. A stage begins when all units of the one before have records.
/// Units of one gamma share its kernel matrix (affinity).
class SvmStudy : public Study {
public:
  /// label: class of each training sample. together: folds of a gamma that are one unit, but of nested searches.
  SvmStudy(const SvmLayout& search, const Vector<const int>& label, int together = 1);
  std::vector<Unit> initial() override;
  std::vector<Unit> on_record(const Record& record) override;

  /// The grid, then the rounds of refinement begun so far, with the errors of the records seen so far.
  const std::vector<SearchRound>& rounds() const { return rounds_; }
  /// The cell that the measure of the layout selects from the records seen so far, among those of all rounds; ties go to the earliest
  /// round, then to the smallest C and gamma. By one standard error: the smallest C, then gamma, of all cells within that of the best one
  /// (of equal means of the one with the smallest C and gamma); equal C and gamma go to the earliest round.
  std::optional<Cell> best() const;
  /// The decision values (repeat and sample, problem) of the best cell, each by the machine of the fold that held the sample out; empty
  /// before its out-of-fold units are done.
  const std::vector<double>& out_of_fold() const { return out_of_fold_; }
  /// Why there will be none, and no probabilities; "" otherwise.
  const std::string& out_of_fold_failed() const { return out_of_fold_failed_; }
  /// The outer folds of nested cross-validation.
  const std::vector<OuterFold>& outer() const { return outer_; }
  /// The probabilities of the best cell if they are asked for, once there are out-of-fold decision values.
  const std::optional<Calibration>& calibration() const { return calibration_; }

private:
  /// What the study keeps of a record.
  struct Found {
    bool done = false;
    std::string reason;            ///< why it failed
    std::vector<double> values;    ///< fold errors (C) of a search, or OutOfFoldResult::decision
    std::vector<double> selected;  ///< (C) of a search: the measure that selects
  };

  Found read(const Record& record) const;
  void read_fold(const Record& record, Found& found) const;
  std::vector<double> read_out_of_fold(const Record& record) const;
  void enter(const UnitKey& key, const Found& found);
  std::vector<Unit> nested() const;
  std::vector<Unit> left_open(const UnitKey& key) const;
  std::vector<Unit> begin_next_stage();
  std::vector<Unit> begin_outer_tests();
  std::vector<double> read_outer(const Record& record) const;
  std::vector<Unit> begin_round(const Cell& centre);
  void gather_out_of_fold(const Cell& cell);

  const SvmLayout& search_;
  Vector<const int> label_;
  std::vector<SvmStage> stages_;
  std::size_t stage_ = 0;  ///< the number of stages once all have ended
  SvmUnits units_;
  JoinedFolds joined_;
  std::vector<SearchRound> rounds_;
  std::map<UnitKey, Found> found_;
  std::set<UnitKey> waiting_;  ///< of the records of this stage that are still to come
  std::vector<OuterFold> outer_;
  std::vector<double> out_of_fold_;
  std::string out_of_fold_failed_;
  std::optional<Calibration> calibration_;
};

}  // namespace krossfold::studies
