// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace krossfold::data {

/// Iterates over the non-blank lines of a text: those with another letter than `blanks`. Lines end with "\n" or "\r\n", the last
/// may lack its line end, and a UTF-8 byte order mark at the start is skipped.
class TextLines {
public:
  explicit TextLines(std::span<const std::byte> bytes, std::string_view blanks = " \t");

  /// Advances to the next line that is not blank; returns false at the end.
  bool next();

  std::string_view line() const { return line_; }
  int number() const { return number_; }  ///< 1-based number of the line in the file

private:
  std::string_view rest_, line_, blanks_;
  int number_ = 0;
};

/// True for spaces and tabs, which separate words.
constexpr bool is_blank(char letter) { return letter == ' ' || letter == '\t'; }

/// `word` without leading and trailing blanks.
std::string_view trimmed(std::string_view word);

/// Removes the first word, up to the next blank, from `rest`; returns "" at the end.
std::string_view next_word(std::string_view& rest);

enum class FeatureFault { none, no_number, not_finite, too_large };

/// Parses a feature value in the C locale; surrounding blanks and a leading '+' are allowed, and underflow gives 0.
FeatureFault parse_feature(std::string_view word, float& value);

/// Throws the input error for a value that parse_feature rejected; `where` is "FILE, line 3, column 5".
[[noreturn]] void throw_bad_feature(const std::string& where, std::string_view word, FeatureFault fault);

}  // namespace krossfold::data
