// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/study/names_params.hpp"
#include "krossfold/study/run_study.hpp"

namespace krossfold::study {

/// `krossfold names`: a training of the character model for every combination of workers, batch per worker and rate, on as many ranks as
/// divide its workers; trainings of fewer ranks run side by side. Else as run_train().
ExitCode run_names(const Surroundings& around, const NamesParams& params, const RunParams& run);

}  // namespace krossfold::study
