// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "krossfold/core/error.hpp"
#include "krossfold/core/log.hpp"
#include "krossfold/parallel/communicator.hpp"
#include "krossfold/parallel/device_map.hpp"
#include "krossfold/study/svm_params.hpp"

namespace krossfold::study {

/// How a process was started and how it is told to stop.
struct Surroundings {
  const parallel::Communicator& comm;
  const Log& log;
  const std::vector<parallel::RankPlace>& places;
  std::function<bool()> stop_requested;  ///< asked on rank 0: true once the run is to stop
  std::function<bool()> drop_requested;  ///< the same: true once it is to stop without waiting for units in flight
};

/// `krossfold svm`: loads the data, continues or starts the study, runs the farm, writes the result file and prints the report
/// on stdout of rank 0. Collective. Returns done, or stopped if the run was stopped before the end.
/// Throws an input error, with nothing touched, for anything wrong with options, data or an existing output file.
ExitCode run_svm(const Surroundings& around, const SvmParams& params, const RunParams& run);

}  // namespace krossfold::study
