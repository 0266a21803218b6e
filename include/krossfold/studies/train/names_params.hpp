// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos, as option_table.hpp is.

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/run/option_table.hpp"
#include "krossfold/run/run_params.hpp"

namespace krossfold::studies {

/// The options of `krossfold names` that the results depend on. Defaults are those of the reproduced study.
struct NamesParams {
  std::string data = "names";
  int limit = 0;
  std::vector<int> workers{1, 4, 16};
  std::vector<int> batch_per_worker;  ///< if empty, 1024, 4096 and 16384, or less for short lists
  std::vector<double> rate{.001, .004, .016};
  int epochs = 15;
  int layers = 4, hidden = 128, window = 8;
  double dropout = 0.1;
  std::uint64_t seed = 0;
};

run::OptionTable names_options(NamesParams& params);

/// The value of every option, in a fixed order.
std::vector<run::OptionValue> options_of(const NamesParams& params);

}  // namespace krossfold::studies
