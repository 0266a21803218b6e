// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The options of `krossfold export` and `krossfold import`. Free of Kokkos, because the host compiler alone compiles the source.

#include "command_line.hpp"
#include "krossfold/run/option_table.hpp"

namespace krossfold::cli {

run::OptionTable export_options(ExportParams& params);
run::OptionTable import_options(ImportParams& params);

}  // namespace krossfold::cli
