// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace krossfold::report {

using Cells = std::vector<std::string>;

/// The letters of a text in UTF-8, each as wide as another.
std::size_t letters(const std::string& text);

/// Lays out columns as wide as their widest cell, each after two blanks; aligns the first `left` columns to the left, the
/// others to the right.
std::string text_table(const std::vector<Cells>& lines, std::size_t left);

}  // namespace krossfold::report
