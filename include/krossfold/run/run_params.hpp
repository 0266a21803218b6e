// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// No Kokkos here: the command line fills these structs.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "krossfold/parallel/schedule.hpp"

namespace krossfold::run {

/// A closed range LO:HI.
struct Range {
  double low = 0, high = 0;
};

/// A closed range of whole numbers LO:HI.
struct WholeRange {
  int low = 0, high = 0;
};

/// The options of every study that no result depends on.
struct RunParams {
  std::string output;
  double max_time = 0;           ///< seconds; 0 for no limit
  double grace = 30;             ///< seconds
  double stall_timeout = 1800;   ///< seconds; 0 for no limit
  double checkpoint_every = 60;  ///< seconds between two stores of what a unit in flight has found
  parallel::Schedule schedule = parallel::Schedule::dynamic;
  std::uint64_t memory_limit = 0;           ///< bytes a rank; 0 for no limit
  bool retry_failed = false;                ///< compute units again that failed before
  std::optional<std::vector<int>> devices;  ///< accelerators to use, empty for all; not set: as --gpu was not given
  std::string json_log;                     ///< file to which a line of JSON is added for every event; "" for none
  bool break_lock = false;                  ///< take over an output that another run seems to work on
  bool dry_run = false;
  std::string config;         ///< the file with further options, "" for none
  std::string expected_data;  ///< digest of the data that the result file `config` was computed from, "" for any
  std::string command_line;   ///< for the result file
};

}  // namespace krossfold::run
