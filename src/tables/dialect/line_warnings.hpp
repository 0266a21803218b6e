// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/tables/table_fields.hpp"

namespace krossfold::tables {

/// Appends what became of lines, all of which were read, that are no samples of their own: comments, but for one that held the names
/// (`names_in_comment`), rows over several lines, and lines of nothing but delimiters.
void warn_of_lines(const TableLines& lines, bool names_in_comment, std::vector<std::string>& warning);

}  // namespace krossfold::tables
