// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krossfold/run/guide.hpp"

namespace krossfold::cli {

/// What help and manual page of a subcommand that is no study say besides its options; empty for other names.
run::Guide guide_of(const std::string& subcommand);

}  // namespace krossfold::cli
