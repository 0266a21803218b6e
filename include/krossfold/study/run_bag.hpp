// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/study/bag_params.hpp"
#include "krossfold/study/run_study.hpp"

namespace krossfold::study {

/// `krossfold bag`: loads the data, continues or starts the study, runs the farm, writes the result file and prints the report
/// on stdout of rank 0. Collective. Returns done, or stopped if the run was stopped before the end.
/// Throws an input error, with nothing touched, for anything wrong with options, data or an existing output file.
ExitCode run_bag(const Surroundings& around, const BagParams& params, const RunParams& run);

}  // namespace krossfold::study
