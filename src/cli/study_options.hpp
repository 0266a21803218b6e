// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos, because the host compiler alone compiles its users.

#include <CLI/CLI.hpp>

#include "krossfold/run/option_table.hpp"
#include "krossfold/run/run_params.hpp"

namespace krossfold::cli {

/// The options that every study has and no result depends on.
run::OptionTable run_options(run::RunParams& run);

/// Adds the options of a table, which must outlive the app.
void add_table(CLI::App& app, const run::OptionTable& table);

}  // namespace krossfold::cli
