// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/unit.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/run/checkpoint.hpp"
#include "krossfold/studies/svm/layout.hpp"
#include "krossfold/studies/svm/memory.hpp"
#include "krossfold/studies/svm/payload.hpp"
#include "krossfold/svm/kernel_rows.hpp"
#include "krossfold/svm/path.hpp"
#include "krossfold/svm/points.hpp"
#include "krossfold/svm/row_cache.hpp"

namespace krossfold::studies {

/// Squared distances between all training samples that someone else keeps: those of a node.
struct SharedDistances {
  Matrix<float, Device> distance;  ///< empty: every rank has its own
  double unit = 1;                 ///< see svm::Points
};

/// Computes the units of an SvmStudy on this rank's device. Keeps what the plan says of the squared distances of all training
/// samples and of the kernel matrix of the last gamma.
class SvmExecutor : public Executor {
public:
  SvmExecutor(const SvmLayout& search, const data::Task& task, const MemoryPlan& plan = {},
              const SharedDistances& shared = {}, const run::CheckpointParams& parts = {});
  std::vector<Record> run(const Unit& unit, UnitContext& context) override;
  void release() override;

private:
  std::vector<Record> compute(const Unit& unit, UnitContext& context);
  std::vector<Record> run_fold(const Unit& unit, UnitContext& context);
  std::vector<Record> run_calibration(const Unit& unit, UnitContext& context);
  std::vector<Record> run_refit(const Unit& unit, UnitContext& context);
  svm::KernelRows<Device>& kernel_of(double gamma);
  void start_kernel();
  svm::PathSolution<Device> solve(const Unit& unit, UnitContext& context, const PathInput& path,
                                  const std::vector<int>& held);

  const SvmLayout& search_;
  const data::Task& task_;
  Device exec_;
  Poll poll_;  ///< of the unit at work
  MemoryPlan plan_;
  run::UnitCheckpoints parts_;
  double distance_unit_ = 1;
  Vector<const int, Device> label_;
  Matrix<float, Device> distance_;  ///< squared, between all training samples; made at the first unit if not shared
  bool shared_distance_;            ///< they are the node's
  Matrix<float, Device> kernel_;    ///< of kernel_gamma_, if it is kept whole
  double kernel_gamma_ = 0;         ///< 0: of none
  std::unique_ptr<svm::KernelRows<Device>> rows_;
  svm::RowCache<Device>* cache_ = nullptr;  ///< rows_, if it is one
  std::unique_ptr<svm::DualSolver<Device>> solver_;
};

}  // namespace krossfold::studies
