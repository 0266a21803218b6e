// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/unit.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/study/svm_search.hpp"
#include "krossfold/svm/points.hpp"

namespace krossfold::study {

/// Computes the units of an SvmStudy on this rank's device. Keeps the squared distances of all training samples and the
/// kernel matrix of the last gamma.
class SvmExecutor : public Executor {
public:
  SvmExecutor(const SvmSearch& search, const data::Task& task);
  std::vector<Record> run(const Unit& unit, UnitContext& context) override;

private:
  std::vector<Record> run_fold(const Unit& unit, UnitContext& context);
  std::vector<Record> run_refit(const Unit& unit, UnitContext& context);
  void make_kernel(int gamma);
  Matrix<const float, Device> training_kernel(const Vector<const int, Device>& rows);

  const SvmSearch& search_;
  const data::Task& task_;
  Device exec_;
  double distance_unit_ = 1;
  Vector<const int, Device> label_;
  Matrix<float, Device> distance_;  ///< squared, between all training samples; made at the first unit
  Matrix<float, Device> kernel_;    ///< of gamma number kernel_gamma_
  Matrix<float, Device> training_;  ///< of one fold's training part
  int kernel_gamma_ = -1;
};

}  // namespace krossfold::study
