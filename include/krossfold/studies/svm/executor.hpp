// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/unit.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/run/checkpoint.hpp"
#include "krossfold/studies/svm/decision_cache.hpp"
#include "krossfold/studies/svm/layout.hpp"
#include "krossfold/studies/svm/left_out.hpp"
#include "krossfold/studies/svm/memory.hpp"
#include "krossfold/studies/svm/payload.hpp"
#include "krossfold/svm/kernel_form.hpp"
#include "krossfold/svm/kernel_rows.hpp"
#include "krossfold/svm/machine.hpp"
#include "krossfold/svm/path.hpp"
#include "krossfold/svm/points.hpp"
#include "krossfold/svm/precise_kernel.hpp"
#include "krossfold/svm/row_cache.hpp"

namespace krossfold::studies {

/// Squared distances between all training samples (given kernel values, if precomputed), shared by the ranks of a node.
struct SharedDistances {
  Matrix<float, Device> distance;  ///< empty if every rank has its own
  double unit = 1;                 ///< see svm::Points
};

/// What a refitted machine says of the test part: decision values (sample, problem), classes, and how many are wrong.
void add_test(RefitResult& result, const svm::Machine& machine, const Matrix<double>& decision,
              const data::Dataset& test);

/// Computes the units of an SvmStudy on this rank's device. Between units it keeps the squared distances of all
/// training samples and the kernel matrix of the last gamma, as far as the plan allows.
class SvmExecutor : public Executor {
public:
  SvmExecutor(const SvmLayout& search, const data::Task& task, const MemoryPlan& plan = {},
              const SharedDistances& shared = {}, const run::CheckpointParams& parts = {});
  std::vector<Record> run(const Unit& unit, UnitContext& context) override;
  void release() override;

private:
  std::vector<Record> folds(const Unit& unit, UnitContext& context);
  FoldResult fold_result(const PathInput& path, int fold, const std::vector<int>& held,
                         const svm::PathSolution<Device>& solution, bool nested);
  OutOfFoldResult out_of_fold(const Unit& unit, UnitContext& context);
  OutOfFoldResult outer_test(const Unit& unit, UnitContext& context);
  RefitResult refit(const Unit& unit, UnitContext& context);
  svm::KernelRows<Device>& kernel_of(double gamma);
  svm::PreciseKernel<Device>& precise_of(double gamma);
  const svm::KernelForm<Device>& form_of(double gamma);
  void start_kernel();
  void make_room();
  svm::PathSolution<Device> solve(const Unit& unit, UnitContext& context, const PathInput& path,
                                  const std::vector<LeftOut>& trainings);
  std::vector<double> decisions(const Unit& unit, UnitContext& context, const PathInput& input,
                                const std::vector<int>& held);

  const SvmLayout& search_;
  const data::Task& task_;
  Device exec_;
  Poll poll_;  ///< of the current unit
  MemoryPlan plan_;
  run::UnitCheckpoints parts_;
  DecisionCache decisions_;
  double distance_unit_ = 1;
  Vector<const int, Device> label_;
  Matrix<float, Device>
      distance_;                  ///< squared, between all training samples; computed for the first unit unless shared
  bool shared_distance_;          ///< whether distance_ belongs to the node
  Matrix<float, Device> kernel_;  ///< at kernel_gamma_, if the plan keeps it whole
  double kernel_gamma_ = 0;       ///< 0 for none
  std::unique_ptr<svm::SampleNorms> norms_;
  svm::KernelForm<Device> form_;
  double form_gamma_ = 0;  ///< of form_; 0 for none
  std::unique_ptr<svm::KernelRows<Device>> rows_;
  svm::RowCache<Device>* cache_ = nullptr;  ///< rows_ if it is a cache
  int fewest_rows_ = 0;                     ///< of the cache, once K in double is there
  bool precise_there_ = false;              ///< whether that has been asked for
  std::unique_ptr<svm::PreciseKernel<Device>> precise_;
  std::unique_ptr<svm::DualSolver<Device>> solver_;
};

}  // namespace krossfold::studies
