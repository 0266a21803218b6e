// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace krossfold::tables {

/// Throws an input error, which says what `file` is and what to do, unless it is text in UTF-8 with line ends that are LF or CRLF.
void check_text(std::span<const std::byte> bytes, const std::string& file);

}  // namespace krossfold::tables
