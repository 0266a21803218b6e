// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/run/study_kind.hpp"

namespace krossfold::cli {

/// The program `krossfold` with these kinds of studies as subcommands, besides predict, sample, report and plan: reads the command line,
/// starts MPI and Kokkos, runs, prints errors. Returns the exit code. To be called once, by main() alone.
int run_program(int argc, char** argv, const run::StudyRegistry& registry);

}  // namespace krossfold::cli
