// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/run/run_study.hpp"
#include "krossfold/studies/train/names_params.hpp"

namespace krossfold::studies {

/// `krossfold names`: a training of the character model for every combination of workers, batch per worker and rate, on as many ranks as
/// divide its workers; trainings of fewer ranks run side by side. Else as run_train().
ExitCode run_names(const run::RunContext& context, const NamesParams& params, const run::RunParams& run);

}  // namespace krossfold::studies
