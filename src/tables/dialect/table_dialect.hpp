// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "decimal_mark.hpp"
#include "krossfold/tables/table.hpp"
#include "tables/table_roles.hpp"

namespace krossfold::tables {

/// How a table of text is written.
struct Dialect {
  char delimiter = ',';
  char decimal = '.';    ///< what stands before decimals, or ','
  bool header = false;   ///< its first line holds names ...
  int header_lines = 1;  ///< ... or its first few, joined by blanks, or none of them: a comment above holds them
  int trailing = 0;      ///< delimiters at the end of every line, which are ignored
  RowNameKind row_names = RowNameKind::none;  ///< the first column names rows, and has no heading
  std::string
      length_advice{};    ///< for lines with one field more than the first, where most are so: what to do about it
  int fields = 0;         ///< of a line, without what `trailing` adds
  int first_line = 0;     ///< the number of the first line that is neither blank nor a comment
  int doubtful_line = 0;  ///< the number of a line that was taken for a sample, but may belong to the header
  std::vector<std::string> name{};  ///< (column); empty names if there is no header
  std::vector<std::string>
      repeated{};  ///< the fields of the header, which no sample repeats if one of them is a word; else none
  std::vector<DecimalMarks> marks{};  ///< (column): what its numbers have in the first lines
  std::vector<std::string> warning{};
};

/// Determines the dialect from the first thousand lines by the rules stated at read_table(), but for the decimal mark, which depends on the
/// columns that are used. Throws an input error if the file is empty or no text, or if lines seem to stand above the table.
Dialect find_dialect(std::span<const std::byte> bytes, const std::string& file, const TableParams& params,
                     const TableEncoding* encoding);

/// "commas", "semicolons", "tabs", "bars" or "blanks".
std::string delimiter_text(char delimiter);

/// ", decimal commas", or "" for points.
std::string decimal_text(char decimal);

/// True if the columns of a model have names, all of which are among these.
bool holds_all_names(const std::vector<std::string>& names, const TableEncoding& encoding);

/// True if the first of `line` holds names, by the rules stated at read_table(); all lines have equally many fields.
bool find_header(const std::vector<std::vector<std::string>>& line, const std::string& file, const TableParams& params,
                 const TableEncoding* encoding, std::vector<std::string>& warning);

}  // namespace krossfold::tables
