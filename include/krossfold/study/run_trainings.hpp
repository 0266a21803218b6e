// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <string>

#include "krossfold/study/run_study.hpp"
#include "krossfold/study/train_result.hpp"

namespace krossfold::study {

/// The names as rank 0 reads them, on all ranks.
data::NameSet load_names_on_root(const parallel::Communicator& comm, const std::string& spec);

/// "pets.txt: 52,000 names; 31 characters folded, ..."
std::string folding_text(const data::NameSet& names);

/// Computes all runs, those of the fewest ranks first, as run_study() does; with --dry-run prints them instead.
ExitCode run_trainings(const Surroundings& around, const RunParams& run, std::chrono::steady_clock::time_point began,
                       const TrainRuns& runs, const TrainTask& task);

}  // namespace krossfold::study
