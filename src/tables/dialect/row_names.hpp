// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/tables/table.hpp"
#include "table_start.hpp"
#include "tables/table_roles.hpp"

namespace krossfold::tables {

/// What the first column is where the lines below the first have one field more than it.
struct RowNames {
  RowNameKind kind = RowNameKind::none;  ///< the names of rows, without a heading, as R writes tables
  std::string advice{};  ///< if not: why, and what to do, for the message that refuses the lines; "" if they are not so
};

/// Why unquoted fields, one from each line, are not the names of rows; empty if they may be. All must differ, and be words, or whole
/// numbers that ascend or are too close together to differ by chance, between which may stand repetitions of others as R numbers
/// them (3, 3.1, 3.2).
std::string why_no_row_names(const std::vector<std::string>& column);

/// Decides by the first lines of a file and their fields, the first of which are no numbers, differ, and do not come again in the columns
/// below. Row names differ from one another. Unless the names above and they are quoted and other fields are not, as R writes words and
/// numbers, they are as stated above. The first name must not rather be theirs (country above words that stand before numbers). Where commas separate the
/// fields, no two columns may be a number with a decimal comma, unless numbers have decimal points or they are numbers that R quoted. To a
/// model that uses the first column of the training data, this one must count 1, 2, 3, ... or have quotes where that has numbers. A last field
/// that is empty in every line, or in most without the quotes of R, is rather a delimiter too many, or one without a heading.
RowNames find_row_names(const std::vector<SampleLine>& lines, const std::vector<Fields>& split, char delimiter,
                        const TableEncoding* encoding = nullptr);

/// The warning that the lines below `line` begin with names of rows.
std::string row_names_text(const std::string& file, int line, bool left_out);

}  // namespace krossfold::tables
