// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

namespace krossfold::study {

/// Computes the units of a bagging study. A network that would not fit into `bound` is refused with both sizes before anything
/// is allocated; a bound of 0 bytes is none.
class BagExecutor : public Executor {
public:
  BagExecutor(const BagSearch& search, const data::Task& task, const OodImages& ood, MemoryBound bound = {});
  std::vector<Record> run(const Unit& unit, UnitContext& context) override;

private:
  nn::Network<Device> network_of(const Unit& unit) const;
  TrainingSummary train(nn::Network<Device>& network, const Unit& unit, const std::vector<int>& rows,
                        const Poll& poll) const;
  TrialResult run_trial(const Unit& unit, const Poll& poll) const;
  FinalResult run_final(const Unit& unit, UnitContext& context, const Poll& poll) const;

  const BagSearch& search_;
  const data::Task& task_;
  MemoryBound bound_;
  nn::Samples<Device> train_, test_, ood_;
};

/// The name of the model file of a bootstrap: "bootstrap_03.h5".
std::string bag_model_name(int bootstrap);

}  // namespace krossfold::study
