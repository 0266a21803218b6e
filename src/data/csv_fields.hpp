// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "krossfold/core/text.hpp"

namespace krossfold::data {

/// The fields of one line. A field in double quotes may hold commas, and "" for a quote.
class CsvFields {
public:
  CsvFields(std::string_view line, const std::string& name, int line_number)
      : at_(line.data()), end_(at_ + line.size()), name_(name), line_number_(line_number) {}

  int column() const { return column_; }  ///< of the field read last, from 1
  std::string where() const { return text(name_, ", line ", line_number_, ", column ", column_); }

  /// Reads the next field; false behind the last. Throws an input error for quotes that are not closed.
  bool next(std::string_view& field);

  /// Reads the next field if it is a plain whole number of at most seven digits, which a float holds exactly: pixels,
  /// mostly. Else false, with nothing read.
  bool next_whole(float& value);

private:
  bool next_quoted(const char* at, std::string_view& field);

  const char *at_, *end_;  ///< at_ is null behind the last field
  const std::string& name_;
  int line_number_, column_ = 0;
  std::string unquoted_;
};

}  // namespace krossfold::data
