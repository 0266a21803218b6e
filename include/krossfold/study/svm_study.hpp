// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/study/svm_search.hpp"

namespace krossfold::study {

/// The units of an SVM search: one for every (gamma, fold), then, when all of them have records, the refit at the best cell.
/// Units of one gamma share its kernel matrix (affinity).
class SvmStudy : public Study {
public:
  explicit SvmStudy(const SvmSearch& search);
  std::vector<Unit> initial() override;
  std::vector<Unit> on_record(const Record& record) override;

  /// (gamma, C, fold) of the records seen so far.
  const std::vector<double>& fold_error() const { return fold_error_; }

private:
  const SvmSearch& search_;
  std::vector<double> fold_error_;
  std::set<UnitKey> seen_;
};

}  // namespace krossfold::study
