// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// No Kokkos here: the command line fills these structs.

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "krossfold/run/option_table.hpp"
#include "krossfold/run/run_params.hpp"

namespace krossfold::studies {

/// The options of `krossfold train` that the results depend on; what is not set is up to the network (with_defaults()).
struct TrainParams {
  std::string network;  ///< one of network_kinds()
  std::optional<std::string> data;
  std::string test;  ///< what is held out of images and tables; "": the data set's own test part, or its last fifth
  int limit = 0;
  std::string strategy;  ///< "" chooses ddp where there are several workers, else single
  int workers = 0;       ///< logical shards of a batch; 0: as many as ranks
  int batch = 64;        ///< samples of a step, of all workers together
  std::optional<double> rate;
  double momentum = 0.9;                                        ///< of gradient descent; Adam (lstm) has its own
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

/// One line for each option of any network; those that not every network takes say so in their help.
run::OptionTable train_options(TrainParams& params);

/// The parameters with everything set that is up to the network.
TrainParams with_defaults(TrainParams params);

/// The options that its network takes with their values, in a fixed order.
std::vector<run::OptionValue> options_of(const TrainParams& params);

/// Throws an input error for options that were set, or are named in `given`, though the network does not take them, and for a network
/// that does not exist.
void check_taken(const TrainParams& params, const std::set<std::string>& given = {});

}  // namespace krossfold::studies
