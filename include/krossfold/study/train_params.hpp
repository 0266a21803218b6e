// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// No Kokkos here: the command line fills these structs.

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/study/run_params.hpp"

namespace krossfold::study {

/// The options of `krossfold train lstm` that the results depend on. Network and rates are those of the reproduced study.
struct TrainParams {
  std::string network;  ///< "lstm"
  std::string data = "names";
  int limit = 0;
  std::string strategy;  ///< "" chooses ddp where there are several workers, else single
  int workers = 0;       ///< logical shards of a batch; 0: as many as ranks
  int batch = 64;        ///< windows of a step, of all workers together
  double rate = 1e-3;
  int epochs = 0;  ///< 0: 15, or on short lists as many as make 3,000 steps
  int layers = 4, hidden = 128, window = 8;
  double dropout = 0.1;
  std::uint64_t seed = 0;
};

/// Every option of TrainParams but the network with its value, in a fixed order.
std::vector<OptionValue> options_of(const TrainParams& params);

}  // namespace krossfold::study
