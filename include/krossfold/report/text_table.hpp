// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace krossfold::report {

using Cells = std::vector<std::string>;

/// Lays out columns as wide as their widest cell, each after two blanks; aligns the first `left` columns to the left, the
/// others to the right.
std::string text_table(const std::vector<Cells>& lines, std::size_t left);

}  // namespace krossfold::report
