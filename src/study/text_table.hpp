// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace krossfold::study {

using Cells = std::vector<std::string>;

/// Columns as wide as their widest cell, two blanks apart; the first `left` to the left, the others to the right.
std::string text_table(const std::vector<Cells>& lines, std::size_t left);

/// With so many significant digits; with so many decimals.
std::string rounded(double value, int digits);
std::string fixed(double value, int decimals);

}  // namespace krossfold::study
