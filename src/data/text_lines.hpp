// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace krossfold::data {

/// Walks through the lines of a text that is not blank: ends of line are "\n" or "\r\n", the last may be missing, and a
/// UTF-8 byte order mark at the start is no part of the first line.
class TextLines {
public:
  explicit TextLines(std::span<const std::byte> bytes);

  /// Goes to the next line that holds more than blanks; false at the end.
  bool next();

  std::string_view line() const { return line_; }
  int number() const { return number_; }  ///< of the line in the file, from 1

private:
  std::string_view rest_, line_;
  int number_ = 0;
};

/// Spaces and tabs separate words.
constexpr bool is_blank(char letter) { return letter == ' ' || letter == '\t'; }

/// Without the blanks at both ends.
std::string_view trimmed(std::string_view word);

/// Takes the first word, up to the next blank, from `rest`; empty at the end.
std::string_view next_word(std::string_view& rest);

enum class FeatureFault { none, no_number, not_finite, too_large };

/// A feature value in the C locale, blanks and a '+' before it allowed. What is too small for a float becomes 0.
FeatureFault parse_feature(std::string_view word, float& value);

/// Throws the input error for a value that parse_feature refused; `where` is "FILE, line 3, column 5".
[[noreturn]] void throw_bad_feature(const std::string& where, std::string_view word, FeatureFault fault);

/// The word in quotes as a message shows it: cut after 40 bytes, control characters as '?'.
std::string quoted(std::string_view word);

}  // namespace krossfold::data
