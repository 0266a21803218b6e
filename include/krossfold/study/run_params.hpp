// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// No Kokkos here: the command line fills these structs.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "krossfold/parallel/schedule.hpp"

namespace krossfold::study {

/// A closed range LO:HI.
struct Range {
  double low = 0, high = 0;
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

/// One option as it was used.
struct OptionValue {
  std::string name, value;
  bool is_default = true;
};

/// "name = value" a line, without data and test: equal for two runs on equal data exactly if they compute the same.
std::string fingerprint_text(const std::vector<OptionValue>& options);

/// {"folds": {"value": "5", "default": true}, ...}
std::string to_json(const std::vector<OptionValue>& options);

/// Reads what to_json wrote; `name` is for the input error that it throws otherwise.
std::vector<OptionValue> options_from_json(const std::string& json, const std::string& name);

}  // namespace krossfold::study
