// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The options of `krossfold data`. Free of Kokkos, because the host compiler alone compiles data_options.cpp.

#include <set>
#include <string>

#include "command_line.hpp"
#include "krossfold/run/option_table.hpp"

namespace krossfold::cli {

run::OptionTable data_options(DataParams& params);

/// Sets action and task.train from the words. Throws an input error for words and options (`given`) that make no sense together.
void choose_action(DataParams& params, const std::set<std::string>& given);

}  // namespace krossfold::cli
