// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace krossfold::cli {

/// A line that says where an installed program has the documents and tools that its messages cite (docs/..., tools/...), after a
/// line break; "" if the program is not installed.
std::string installed_folders();

}  // namespace krossfold::cli
