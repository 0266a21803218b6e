// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/run/run_study.hpp"
#include "krossfold/studies/svm/params.hpp"

namespace krossfold::studies {

/// `krossfold svm`: loads the data, continues or starts the study, runs the farm, writes the result file and prints the report
/// on stdout of rank 0. Collective. Returns done, or stopped if the run was stopped before the end.
/// Throws an input error, with nothing touched, for anything wrong with options, data or an existing output file.
ExitCode run_svm(const run::RunContext& context, const SvmParams& params, const run::RunParams& run);

}  // namespace krossfold::studies
