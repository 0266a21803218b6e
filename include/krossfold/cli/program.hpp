// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/run/study_kind.hpp"

namespace krossfold::cli {

/// Runs the program `krossfold` with these kinds of studies as subcommands, besides predict, sample, report, plan and data: parses the
/// command line, starts MPI and Kokkos, runs the subcommand and prints errors. Returns the exit code. To be called once, by
/// main(), with the arguments that main() got: the program starts itself (/proc/self/exe) to read HDF5 files (storage/reader_process.hpp).
int run_program(int argc, char** argv, const run::StudyRegistry& registry);

}  // namespace krossfold::cli
