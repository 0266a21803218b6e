// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// No Kokkos here: compiled by the host compiler alone.

#include <CLI/CLI.hpp>

#include "krossfold/run/option_table.hpp"
#include "krossfold/run/run_params.hpp"

namespace krossfold::cli {

/// The options of every study that no result depends on.
void add_run_options(CLI::App& app, run::RunParams& run);

/// The options of a table.
void add_table(CLI::App& app, const run::OptionTable& table);

}  // namespace krossfold::cli
