// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/storage/journal.hpp"

namespace krossfold::run {

/// The attributes of a result file that describe the run.
struct RunFacts {
  std::string
      status;  ///< "running" (also after a kill), "stopped", "finished", or "diverged": no unit is left, and there is no model
  std::string command_line, started, finished, formation, schedule, devices, hosts, mpi;
  std::string run_id;  ///< in the name of the folder of its models
  storage::Fingerprint fingerprint;
  int ranks = 1;
  double seconds = 0;                         ///< wall time of all runs of the study
  double setup_seconds = 0;                   ///< wall time of the last run before its first unit: data, distances
  double utilisation = 0;                     ///< computing time over wall time x ranks of the last run
  std::vector<std::string> earlier_builds{};  ///< other builds that may have computed units (Fingerprint::build)
};

/// True for the status of a study of which no unit is left.
inline bool has_ended(const std::string& status) { return status == "finished" || status == "diverged"; }

}  // namespace krossfold::run
