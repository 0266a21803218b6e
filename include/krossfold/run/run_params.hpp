// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos, because the command line includes it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "krossfold/parallel/schedule.hpp"

namespace krossfold::run {

/// A closed range LO:HI.
template <class T>
struct RangeOf {
  T low = 0, high = 0;
};
using Range = RangeOf<double>;
using WholeRange = RangeOf<int>;

/// For a limit of time of which 0 means that there is none.
inline constexpr double no_time = 1e-9;

/// The options that every study has and no result depends on.
struct RunParams {
  std::string output;
  double max_time = 0;           ///< seconds; 0 for no limit
  double grace = 30;             ///< seconds
  double stall_timeout = 1800;   ///< seconds; 0 for no limit
  double checkpoint_every = 60;  ///< seconds between two parts of a unit in flight, see CheckpointParams
  parallel::Schedule schedule = parallel::Schedule::dynamic;
  std::uint64_t memory_limit = 0;           ///< bytes per rank; 0 for no limit
  bool retry_failed = false;                ///< compute units again that failed before
  std::optional<std::vector<int>> devices;  ///< accelerators to use, empty for all; unset if the user gave none
  std::string json_log;                     ///< file to which a line of JSON is appended for every event; "" for none
  bool break_lock = false;                  ///< take over an output that another run seems to use
  bool dry_run = false;
  std::string config;         ///< file of further options; "" for none
  std::string expected_data;  ///< digest of the data that the result file `config` was computed from; "" for any
  std::string command_line;   ///< recorded in the result file
};

}  // namespace krossfold::run
