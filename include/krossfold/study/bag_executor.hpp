// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/nn/network.hpp"
#include "krossfold/nn/training.hpp"
#include "krossfold/study/bag_records.hpp"
#include "krossfold/study/bag_search.hpp"
#include "krossfold/study/ood_images.hpp"
#include "krossfold/study/rank_memory.hpp"
#include "krossfold/study/unit_parts.hpp"

namespace krossfold::study {

/// Computes the units of a bagging study. A network that would not fit into `bound` is refused with both sizes before anything
/// is allocated; a bound of 0 bytes is none. Trainings that take long keep what they have reached.
class BagExecutor : public Executor {
public:
  BagExecutor(const BagSearch& search, const data::Task& task, const OodImages& ood, MemoryBound bound = {},
              const PartParams& parts = {});
  std::vector<Record> run(const Unit& unit, UnitContext& context) override;

private:
  struct Fit;  ///< a network and its training
  struct Reached;
  using Fits = std::vector<std::unique_ptr<Fit>>;

  std::unique_ptr<Fit> make_fit(const UnitKey& key, const std::vector<int>& rows, const Device& exec) const;
  int fits_at_once(const UnitKey& key, int wanted) const;
  Reached reached(const Unit& unit, UnitContext& context);
  void train(const Fits& fits, const std::vector<int>& folds, Reached& reached, const Poll& poll);
  std::vector<Record> run_trial(const Unit& unit, UnitContext& context, const Poll& poll);
  TrialResult validate(Fit& fit, const std::vector<int>& held, const Poll& poll) const;
  FinalResult run_final(const Unit& unit, UnitContext& context, const Poll& poll);

  const BagSearch& search_;
  const data::Task& task_;
  MemoryBound bound_;
  UnitParts parts_;
  nn::Samples<Device> train_, test_, ood_;
};

/// The name of the model file of a bootstrap: "bootstrap_03.h5".
std::string bag_model_name(int bootstrap);

}  // namespace krossfold::study
