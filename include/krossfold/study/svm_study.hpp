// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/study/svm_calibration.hpp"
#include "krossfold/study/svm_records.hpp"
#include "krossfold/study/svm_search.hpp"

namespace krossfold::study {

/// The units of an SVM search, stage after stage: one for every (gamma, fold); with --probability one for every fold that
/// finds the decision values of the best cell; the refit at the best cell. A stage begins when all units of the one before
/// have records. Units of one gamma share its kernel matrix (affinity).
class SvmStudy : public Study {
public:
  /// label: class of each training sample.
  SvmStudy(const SvmSearch& search, const Vector<const int>& label);
  std::vector<Unit> initial() override;
  std::vector<Unit> on_record(const Record& record) override;

  /// (gamma, C, fold) of the records seen so far, NaN elsewhere.
  const std::vector<double>& fold_error() const { return fold_error_; }
  /// The best cell of the records seen so far.
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
  enum class Stage { search, calibration, end };

  Found read(const Record& record) const;
  std::vector<Unit> begin_next_stage();
  std::vector<Unit> calibration_units(const Cell& cell) const;
  void calibrate(const Cell& cell);
  Unit refit_unit(const Cell& cell) const;
  UnitKey calibration_key(const Cell& cell, int fold) const;
  PathInput input_of(const Cell& cell) const;
  double path_cost(std::size_t cs) const;

  const SvmSearch& search_;
  Vector<const int> label_;
  std::vector<double> fold_error_;
  std::map<UnitKey, Found> found_;
  Stage stage_ = Stage::search;
  std::set<UnitKey> waiting_;  ///< units of this stage that have no record yet
  std::optional<Calibration> calibration_;
  std::string calibration_failed_;
};

}  // namespace krossfold::study
