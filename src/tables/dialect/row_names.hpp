// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "table_start.hpp"

namespace krossfold::tables {

/// What the first column is where the lines below the first have one field more than it.
struct RowNames {
  bool found = false;    ///< the names of rows, without a heading, as R writes tables
  std::string advice{};  ///< if not: why, and what to do, for the message that refuses the lines; "" if they are not so
};

/// Decides by the first lines of a file and their fields, the first of which are no numbers. Row names differ from one another. All are
/// words, or whole numbers, some of which may be numbered as R does with repeated ones (3, 3.1, 3.2), or all are quoted. Where commas
/// separate the fields and row names are not quoted, no two columns may be a number with a decimal comma, unless numbers have decimal
/// points. A last field that is empty in every line is rather a delimiter too many.
RowNames find_row_names(const std::vector<SampleLine>& lines, const std::vector<Fields>& split, char delimiter);

}  // namespace krossfold::tables
