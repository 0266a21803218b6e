// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The options of `krossfold export` and `krossfold import`. Free of Kokkos, because the host compiler alone compiles the source.

#include <CLI/CLI.hpp>

#include "command_line.hpp"

namespace krossfold::cli {

void add_export(CLI::App& app, ExportParams& params);
void add_import(CLI::App& app, ImportParams& params);

}  // namespace krossfold::cli
