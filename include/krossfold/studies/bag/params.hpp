// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos, as option_table.hpp is.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "krossfold/input/task_params.hpp"
#include "krossfold/run/option_table.hpp"
#include "krossfold/run/run_params.hpp"

namespace krossfold::studies {

/// The options of `krossfold bag` that the results depend on. Defaults are those of the reproduced study.
struct BagParams {
  input::TaskParams task;
  int bootstraps = 12, trials = 12;
  int folds = 5;
  std::string fold_kind = "stratified-shuffled";
  std::uint64_t seed = 0;
  std::string scale;                  ///< "" chooses by the data, see data/scale.hpp
  std::string class_weight = "none";  ///< see data::parse_class_weights
  int batch = 10;
  int epochs = 20;                          ///< at most
  double stop_ratio = 0.8;                  ///< stop when the loss exceeds this share of the previous epoch's
  std::optional<run::WholeRange> channels;  ///< default 1:999, less for small or few images
  std::optional<run::WholeRange> kernel;    ///< default 2:10, at most the image's side
  std::optional<run::WholeRange> hidden;    ///< default 1:1999, less for small or few images
  run::Range log10_rate{-5, -1}, log10_momentum{-2, 0};
  std::string ood;     ///< samples of none of the classes (out of distribution); "" for none
  bool prune = false;  ///< skip the folds of trials that can no longer win
};

/// The table of these options, bound to `params`.
run::OptionTable bag_options(BagParams& params);

/// The value of every option, in the order of the table.
std::vector<run::OptionValue> options_of(const BagParams& params);

}  // namespace krossfold::studies
