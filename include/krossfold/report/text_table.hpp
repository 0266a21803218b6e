// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace krossfold::report {

using Cells = std::vector<std::string>;

/// Columns as wide as their widest cell, two blanks apart; the first `left` to the left, the others to the right.
std::string text_table(const std::vector<Cells>& lines, std::size_t left);

}  // namespace krossfold::report
