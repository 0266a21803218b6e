// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "krossfold/core/text.hpp"
#include "krossfold/data/text_lines.hpp"

namespace krossfold::tables {

/// True for a line whose first field is an error of a spreadsheet, such as #N/A or #DIV/0!.
bool begins_with_error(std::string_view line);

struct LineRules {
  /// With it, lines belong together as long as a quoted field is open; 0 or a tab: lines of tabs are not blank.
  char delimiter = 0;
  int skipped = 0;  ///< so many lines at the start of the file are passed over, whatever they hold
  /// Lines of nothing but commas, semicolons, bars and tabs are passed over, too. If not, those of tabs at the end of the file are blank.
  bool skip_empty = false;
  int fields = 0;  ///< unless 0, lines of tabs that have other fields than so many are blank, too
};

/// Iterates over the lines of a table that hold samples: neither blank nor a comment, which starts with '#' and not with an error.
/// After a quoted field that is not closed within 1,000 lines, no lines belong together.
class TableLines {
public:
  explicit TableLines(std::span<const std::byte> bytes, const LineRules& rules = {});

  bool next();

  std::string_view line() const { return line_; }
  int number() const { return number_; }                 ///< 1-based number of the (first) line in the file
  int comments() const { return comments_; }             ///< skipped so far
  std::string_view comment() const { return comment_; }  ///< the last of them
  int comment_number() const { return comment_number_; }
  int empty() const { return empty_; }  ///< lines of nothing but delimiters skipped so far

  /// How many samples went over several lines so far, and which lines the first of them has.
  int joined() const { return joined_; }
  std::pair<int, int> first_joined() const { return {joined_first_, joined_last_}; }

private:
  void add_lines_of_quotes();

  data::TextLines lines_;
  char delimiter_;
  bool skip_empty_;
  int fields_;
  std::string_view line_, comment_;
  int joined_ = 0, joined_first_ = 0, joined_last_ = 0;
  int number_ = 0, comments_ = 0, comment_number_ = 0, empty_ = 0;
};

/// Iterates over the fields of one line of a table. A double-quoted field may contain the delimiter, and "" stands for a
/// quote. The delimiter ' ' stands for any number of spaces and tabs. Where the decimal mark is a comma, a number with one
/// ("-1,5") is given with a point ("-1.5"), so that all that reads fields knows numbers by one form.
class TableFields {
public:
  TableFields(std::string_view line, char delimiter, const std::string& file, int line_number, char decimal = '.');
  TableFields(const TableFields&) = delete;  // fields are views of its members
  TableFields& operator=(const TableFields&) = delete;

  int column() const { return column_; }  ///< 1-based column of the last field read
  std::string where() const { return text(file_, ", line ", line_number_, ", column ", column_); }

  /// Reads the next field; returns false after the last one. Throws an input error for unbalanced quotes.
  bool next(std::string_view& field);

  /// The last field as it is in the file, with its decimal comma.
  std::string_view written() const { return written_; }

  /// Fast path: reads the next field if it is a decimal number of at most 18 digits without an exponent, rounded to the
  /// nearest float as by std::from_chars. Otherwise returns false and reads nothing.
  bool next_number(float& value);

private:
  bool next_quoted(const char* at, std::string_view& field);
  std::string_view read(std::string_view field);
  bool ends_field(char letter) const { return letter == delimiter_ || (delimiter_ == ' ' && letter == '\t'); }
  void step_past(const char* end_of_field) {
    if (delimiter_ == ' ') {
      while (end_of_field != end_ && data::is_blank(*end_of_field)) ++end_of_field;
      at_ = end_of_field == end_ ? nullptr : end_of_field;
    } else {
      at_ = end_of_field == end_ ? nullptr : end_of_field + 1;
    }
  }

  const char *at_, *end_;  ///< at_ is null after the last field
  char delimiter_, decimal_;
  const std::string& file_;
  int line_number_, column_ = 0;
  std::string unquoted_, pointed_;
  std::string_view written_;
};

int count_fields(std::string_view line, char delimiter, const std::string& file, int line_number);

/// All fields of a line, without quotes.
std::vector<std::string> fields_of(std::string_view line, char delimiter, const std::string& file, int line_number);

/// True for a field that stands for a missing value: "", "?", what pandas takes for one, and errors of spreadsheets.
bool is_missing(std::string_view field);

/// True for a number, even one that float cannot represent.
bool is_number(std::string_view field);

/// True for a number with a decimal comma, such as "-1,5" or "1,5e3".
bool has_decimal_comma(std::string_view field);

/// True for a number, whether a point or a comma stands before its decimals.
bool is_number_of_any_mark(std::string_view field);

/// The field with a point for its first comma.
std::string with_point(std::string_view field);

/// True for a number whose only `mark`s, '.' or ',', may separate thousands: "1,234" and "12,345,678", but neither "0,123" nor "1,23".
bool may_have_thousands(std::string_view field, char mark);

}  // namespace krossfold::tables
