// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/text_lines.hpp"

namespace krossfold::interchange {

/// Throws an input error unless a file ends with a line end, as those that LIBSVM writes: the last number of one that is cut off within a
/// line may lack digits.
inline void require_line_end(std::span<const std::byte> bytes, const std::string& name) {
  const bool ends = !bytes.empty() && bytes.back() == std::byte{'\n'};
  require(ends, text(name, " is cut off"), "its last line has no line end",
          "Copy it again, or end the last line if it is whole.");
}

/// The words of the lines of a text, with errors that say where they are.
class TextReader {
public:
  TextReader(std::span<const std::byte> bytes, std::string name, std::string what)
      : lines_(bytes), name_(std::move(name)), what_(std::move(what)) {}

  /// Advances to the next line that is not blank; returns false at the end.
  bool next_line() {
    if (!lines_.next()) return false;
    rest_ = lines_.line();
    word_ = {};
    return true;
  }
  /// The next word of the line; "" at its end.
  std::string_view next() { return word_ = data::next_word(rest_); }
  /// The rest of the line, without the blanks around it.
  std::string_view rest() { return word_ = data::trimmed(rest_); }
  std::string_view word() const { return word_; }
  bool at_end() const { return data::trimmed(rest_).empty(); }

  /// The input error that this word, or the line if it has ended, is not what it should be.
  [[noreturn]] void refuse(const std::string& why) const {
    std::string where = text(name_, ", line ", lines_.number());
    if (!word_.empty()) where += text(", column ", word_.data() - lines_.line().data() + 1);
    throw_input_error(text(where, " is not as in ", what_), why);
  }
  void require(bool right, const std::string& why) const {
    if (!right) refuse(why);
  }

  /// Words as a finite number, and as a whole one from `least` to `most`.
  double number(std::string_view word, const char* what) const {
    double value = 0;
    if (!parse(word, value) || !std::isfinite(value)) refuse(text(what, " is no finite number: ", quoted(word)));
    return value;
  }
  int whole(std::string_view word, const char* what, int least, int most) const {
    int value = 0;
    if (!parse(word, value) || value < least || value > most) {
      refuse(text(what, " is no whole number from ", least, " to ", most, ": ", quoted(word)));
    }
    return value;
  }

private:
  template <class T>
  static bool parse(std::string_view word, T& value) {
    if (word.starts_with('+')) word.remove_prefix(1);
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
    return fault == std::errc{} && end == word.data() + word.size();
  }

  data::TextLines lines_;
  std::string name_, what_;
  std::string_view rest_, word_;
};

}  // namespace krossfold::interchange
