// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "krossfold/core/text.hpp"

namespace krossfold::tables {

/// Iterates over the fields of one line. A double-quoted field may contain commas, and "" stands for a quote.
class CsvFields {
public:
  CsvFields(std::string_view line, const std::string& name, int line_number)
      : at_(line.data()), end_(at_ + line.size()), name_(name), line_number_(line_number) {}

  int column() const { return column_; }  ///< 1-based column of the last field read
  std::string where() const { return text(name_, ", line ", line_number_, ", column ", column_); }

  /// Reads the next field; returns false after the last one. Throws an input error for unbalanced quotes.
  bool next(std::string_view& field);

  /// Fast path for pixels: reads the next field if it is an unsigned integer of at most seven digits, which float
  /// represents exactly. Otherwise returns false and reads nothing.
  bool next_whole(float& value);

private:
  bool next_quoted(const char* at, std::string_view& field);

  const char *at_, *end_;  ///< at_ is null after the last field
  const std::string& name_;
  int line_number_, column_ = 0;
  std::string unquoted_;
};

}  // namespace krossfold::tables
