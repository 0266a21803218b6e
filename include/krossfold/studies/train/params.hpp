// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos, as option_table.hpp is.

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "krossfold/run/option_table.hpp"
#include "krossfold/run/run_params.hpp"

namespace krossfold::studies {

/// The options of `krossfold train` that the results depend on. The network determines those that are not set (with_defaults()).
struct TrainParams {
  std::string network;  ///< one of network_kinds()
  std::optional<std::string> data;
  std::string test;                  ///< held-out samples; "" for the data set's own test part, or `test_part`
  std::string test_part = "random";  ///< as input::TaskParams has it
  int limit = 0;
  tables::TableParams table{};  ///< how tables are read
  std::string strategy;         ///< "" for ddp if there are several workers, else single
  int workers = 0;              ///< logical shards of a batch; 0 for the number of ranks
  int batch = 0;                ///< samples per step, of all workers together; 0 for 64, or all if there are fewer
  std::optional<double> rate;
  double momentum = 0.9;                                        ///< of gradient descent; unused by Adam (lstm)
  std::string class_weight = "none";                            ///< see data::parse_class_weights
  std::optional<std::string> validation;                        ///< share of the training part, or "none"
  int epochs = 0;                                               ///< 0 for the default of network and data
  double stop_ratio = std::numeric_limits<double>::infinity();  ///< see nn::TrainingParams
  int layers = 4, window = 8;                                   ///< of lstm
  int channels = 32, kernel = 3;                                ///< of cnn
  std::optional<std::vector<int>> hidden;  ///< units of the hidden layers, or cells per layer of lstm
  std::string activation = "relu";         ///< of the hidden dense layers
  std::optional<double> dropout;
  std::string precision = "single";  ///< see kernels::Precision
  std::string scale;
  std::uint64_t seed = 0;
};

/// The options of all networks; the help of an option that not every network takes names those that do.
run::OptionTable train_options(TrainParams& params);

/// The parameters with the defaults of the network.
TrainParams with_defaults(TrainParams params);

/// The values of the options that the network takes, in a fixed order.
std::vector<run::OptionValue> options_of(const TrainParams& params);

/// Throws an input error for an option that was set, or is named in `given`, but that the network does not take, and for an
/// unknown network.
void check_taken(const TrainParams& params, const std::set<std::string>& given = {});

}  // namespace krossfold::studies
