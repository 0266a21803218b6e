// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "command_page.hpp"

namespace krossfold::cli {

/// krossfold-NAME.1 in the macros of man(7).
std::string man_page(const CommandPage& page, const std::string& version);

/// krossfold.1.
std::string man_page(const std::vector<CommandPage>& pages, const std::string& version);

}  // namespace krossfold::cli
