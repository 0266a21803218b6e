// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace krossfold::tables {

/// The embedded digits as CSV text, the form in which they are stored.
std::vector<std::byte> embedded_digits_csv();

}  // namespace krossfold::tables
