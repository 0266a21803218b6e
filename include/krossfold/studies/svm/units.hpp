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
#include "krossfold/studies/svm/layout.hpp"
#include "krossfold/studies/svm/payload.hpp"
#include "krossfold/studies/svm/stages.hpp"

namespace krossfold::studies {

/// The grid, or a round of refinement.
struct SearchRound {
  std::vector<double> c, gamma;    ///< ascending
  std::vector<double> fold_error;  ///< (gamma, C, fold), NaN where not computed
};

/// The units of an SVM search, stage after stage (svm_stages()): one for every (gamma, fold) of the grid; the same for each round of
/// refinement around the best cell so far; for probabilities, one for every fold that finds the decision values of the best cell; the
/// refit at the best cell. A stage begins when all units of the one before have records. Units of one gamma share its kernel matrix
/// (affinity).
class SvmStudy : public Study {
public:
  /// label: class of each training sample.
  SvmStudy(const SvmLayout& search, const Vector<const int>& label);
  std::vector<Unit> initial() override;
  std::vector<Unit> on_record(const Record& record) override;

  /// The grid, then the rounds of refinement begun so far, with the errors of the records seen so far.
  const std::vector<SearchRound>& rounds() const { return rounds_; }
  /// The best cell of the records seen so far: that of the lowest error, of equal ones the earliest round, then as best_cell.
  std::optional<Cell> best() const;
  /// The probabilities of the best cell, once all its calibration units are done.
  const std::optional<Calibration>& calibration() const { return calibration_; }
  /// Why there will be none though they were asked for, else "".
  const std::string& calibration_failed() const { return calibration_failed_; }

private:
  /// What a record says to the study.
  struct Found {
    bool done = false;
    std::string reason;              ///< if not
    std::vector<double> fold_error;  ///< (C), of the search
    std::vector<double> decision;    ///< see CalibrationResult
  };
  /// A unit of a search.
  struct Path {
    int round, gamma, fold;
  };
  static bool is_search(const UnitKey& key) { return key.kind == svm_unit_fold || key.kind == svm_unit_refine; }
  static Path path_of(const UnitKey& key);

  Found read(const Record& record) const;
  void read_fold(Found& found, const Record& record) const;
  void place(const UnitKey& key, const Found& found);
  void begin_round(const Cell& centre);
  std::vector<Unit> search_units() const;
  std::vector<Unit> begin_next_stage();
  std::vector<Unit> calibration_units(const Cell& cell) const;
  void calibrate(const Cell& cell);
  Unit refit_unit(const Cell& cell) const;
  PathInput input_of(const Cell& cell) const;

  const SvmLayout& search_;
  Vector<const int> label_;
  std::vector<SvmStage> stages_;
  std::size_t stage_ = 0;  ///< the number of stages once all have ended
  SvmUnits units_;
  std::vector<SearchRound> rounds_;
  std::map<UnitKey, Found> found_;
  std::set<UnitKey> waiting_;  ///< units of this stage that have no record yet
  std::optional<Calibration> calibration_;
  std::string calibration_failed_;
};

}  // namespace krossfold::studies
