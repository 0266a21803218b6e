// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tables/table_roles.hpp"

namespace krossfold::tables {

/// How often a mark, comma or point, stands in the numbers of a column.
struct MarkedNumbers {
  int decimal = 0;        ///< numbers in which it cannot separate thousands: "0,5", "12,25"
  int either = 0;         ///< others: "1,234"
  std::string example{};  ///< the first of these
};

/// What the numbers of a column have in the first lines of a table.
struct DecimalMarks {
  MarkedNumbers comma{}, point{};
  int small = 0, large = 0,
      words = 0;         ///< whole numbers below 1,000, other numbers without either mark, and what is no number
  std::string padded{};  ///< the first number that begins with 0, if all have as many digits, three or more
};

/// The marks of each column in these fields, without quotes. The first line, which may be a header, and others of the first `names` do not count,
/// but the last line always does.
std::vector<DecimalMarks> find_marks(const std::vector<std::vector<std::string>>& line, int names = 1);

/// What stands before decimals in the columns of numbers that are used: a comma if one of theirs cannot separate thousands and all of their
/// points can; else a point. Where commas separate fields, only the user can say that others mark decimals.
char find_decimal(const std::vector<DecimalMarks>& column, const ColumnRoles& roles, char delimiter);

/// Warns of columns of numbers that are used and whose decimal marks may all separate thousands: three or more do, and the others
/// are whole numbers below 1,000; or there are no others, semicolons separate fields, and no column has other decimals. If the user has
/// chosen the mark, it warns of commas beside such whole numbers alone, and not if a column of numbers that is used has one that must be decimal.
void warn_of_marks(const std::vector<DecimalMarks>& column, const ColumnRoles& roles, char delimiter, char decimal,
                   bool chosen, std::vector<std::string>& warning);

/// Warns of features whose whole numbers look like codes: 01005 beside 10115; not of those that are text.
void warn_of_leading_zeros(const std::vector<DecimalMarks>& column, const ColumnRoles& roles,
                           std::vector<std::string>& warning);

/// Gives the numbers of all lines that have a decimal comma with a point.
void use_points(std::vector<std::vector<std::string>>& line);

/// Throws an input error for a field that people read as a number, but that is none where decimals have this mark: one with the other mark,
/// separators of thousands, a unit, or a minus sign of typesetting. `where` is "FILE, line 3, column 5 (age)"; `column` has its numbers.
void check_mark(const std::string& where, std::string_view field, char decimal, const DecimalMarks& column);

/// Why a field is no number, although people would read it as one: "it has a unit"; or "".
std::string why_no_number(std::string_view field);

}  // namespace krossfold::tables
