// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/nn/network.hpp"
#include "krossfold/nn/training.hpp"
#include "krossfold/run/checkpoint.hpp"
#include "krossfold/run/memory_budget.hpp"
#include "krossfold/studies/bag/layout.hpp"
#include "krossfold/studies/bag/ood_images.hpp"
#include "krossfold/studies/bag/payload.hpp"

namespace krossfold::studies {

/// Computes the units of a bagging study. A network that does not fit into `bound` (0 bytes: no bound) is refused with
/// both sizes before anything is allocated. Long trainings store checkpoints.
class BagExecutor : public Executor {
public:
  BagExecutor(const BagLayout& search, const data::Task& task, const OodImages& ood, run::MemoryBound bound = {},
              const run::CheckpointParams& parts = {});
  std::vector<Record> run(const Unit& unit, UnitContext& context) override;

private:
  struct Fit;  ///< a network and its training
  struct Reached;
  using Fits = std::vector<std::unique_ptr<Fit>>;

  std::unique_ptr<Fit> make_fit(const UnitKey& key, const std::vector<int>& rows, const Device& exec,
                                const Poll& poll) const;
  int fits_at_once(const UnitKey& key, int wanted) const;
  Reached reached(const Unit& unit, UnitContext& context);
  void train(const Fits& fits, const std::vector<int>& folds, Reached& reached, const Poll& poll);
  std::vector<Record> run_trial(const Unit& unit, UnitContext& context, const Poll& poll);
  TrialResult validate(Fit& fit, const std::vector<int>& held, const Poll& poll) const;
  FinalResult run_final(const Unit& unit, UnitContext& context, const Poll& poll);

  const BagLayout& search_;
  const data::Task& task_;
  run::MemoryBound bound_;
  run::UnitCheckpoints parts_;
  nn::Samples<Device> train_, test_, ood_;
};

}  // namespace krossfold::studies
