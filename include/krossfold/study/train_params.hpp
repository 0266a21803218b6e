// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// No Kokkos here: the command line fills these structs.

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "krossfold/study/run_params.hpp"

namespace krossfold::study {

/// The options of `krossfold train` that the results depend on; what is not set is up to the network (with_defaults()).
struct TrainParams {
  std::string network;  ///< "lstm", "cnn" or "mlp"
  std::optional<std::string> data;
  std::string test;  ///< what is held out of images and tables; "": the data set's own test part, or its last fifth
  int limit = 0;
  std::string strategy;  ///< "" chooses ddp where there are several workers, else single
  int workers = 0;       ///< logical shards of a batch; 0: as many as ranks
  int batch = 64;        ///< samples of a step, of all workers together
  std::optional<double> rate;
  double momentum = 0.9;                                        ///< of cnn and mlp; Adam (lstm) has its own
  int epochs = 0;                                               ///< 0: by network and data
  double stop_ratio = std::numeric_limits<double>::infinity();  ///< as nn::TrainingParams has it
  int layers = 4, window = 8;                                   ///< of lstm
  int channels = 32, kernel = 3;                                ///< of cnn
  std::optional<std::vector<int>> hidden;  ///< units of the layers between; of lstm cells of a layer
  std::string activation = "relu";         ///< of the hidden dense layers
  std::optional<double> dropout;
  std::string scale;
  std::uint64_t seed = 0;
};

/// The parameters with everything set that is up to the network.
TrainParams with_defaults(TrainParams params);

/// The options that its network takes with their values, in a fixed order.
std::vector<OptionValue> options_of(const TrainParams& params);

/// Throws an input error for options that were set, or are named in `given`, though its network does not take them, and for a network
/// that there is not.
void check_taken(const TrainParams& params, const std::set<std::string>& given = {});

/// "512,256".
std::string list_text(const std::vector<int>& values);

}  // namespace krossfold::study
