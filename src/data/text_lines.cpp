// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/text_lines.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::data {

TextLines::TextLines(std::span<const std::byte> bytes, std::string_view blanks)
    : rest_(reinterpret_cast<const char*>(bytes.data()), bytes.size()), blanks_(blanks) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (rest_.substr(0, 3) == byte_order_mark) rest_.remove_prefix(3);
}

bool TextLines::next() {
  while (!rest_.empty()) {
    const auto end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++number_;
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    if (line_.find_first_not_of(blanks_) != std::string_view::npos) return true;
  }
  return false;
}

namespace {

/// Blanks of Unicode that are copied from web pages and office programs: U+00A0, U+2007, U+202F, U+3000 and U+FEFF, in UTF-8.
constexpr std::string_view wide_blanks[] = {"\xC2\xA0", "\xE2\x80\x87", "\xE2\x80\xAF", "\xE3\x80\x80", "\xEF\xBB\xBF"};

bool is_ascii(char letter) { return static_cast<unsigned char>(letter) < 0x80; }

}  // namespace

std::string_view trimmed(std::string_view word) {
  while (true) {
    const char *first = word.data(), *last = first + word.size();
    while (first != last && is_blank(*first)) ++first;
    while (first != last && is_blank(last[-1])) --last;
    word = {first, static_cast<std::size_t>(last - first)};
    if (word.empty() || (is_ascii(word.front()) && is_ascii(word.back()))) return word;
    const std::size_t before = word.size();
    for (const std::string_view blank : wide_blanks) {
      if (word.starts_with(blank)) word.remove_prefix(blank.size());
      if (word.ends_with(blank)) word.remove_suffix(blank.size());
    }
    if (word.size() == before) return word;
  }
}

std::string_view next_word(std::string_view& rest) {
  const char *first = rest.data(), *last = first + rest.size();
  while (first != last && is_blank(*first)) ++first;
  const char* end = first;
  while (end != last && !is_blank(*end)) ++end;
  rest = {end, static_cast<std::size_t>(last - end)};
  return {first, static_cast<std::size_t>(end - first)};
}

FeatureFault parse_feature(std::string_view word, float& value) {
  word = trimmed(word);
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const char *first = word.data(), *last = first + word.size();
  auto [end, fault] = std::from_chars(first, last, value);
  if (fault == std::errc::invalid_argument || end != last) return FeatureFault::no_number;
  if (fault == std::errc::result_out_of_range) {
    // from_chars does not distinguish overflow from underflow.
    double wide = 0;
    if (std::from_chars(first, last, wide).ec == std::errc{}) {
      value = static_cast<float>(wide);
    } else if (word.find("e-") != std::string_view::npos || word.find("E-") != std::string_view::npos) {
      value = 0;
    } else {
      return FeatureFault::too_large;
    }
    return std::isfinite(value) ? FeatureFault::none : FeatureFault::too_large;
  }
  return std::isfinite(value) ? FeatureFault::none : FeatureFault::not_finite;
}

void throw_bad_feature(const std::string& where, std::string_view word, FeatureFault fault) {
  word = trimmed(word);
  if (word.empty()) {
    throw_input_error(text(where, ": the value is missing"), "every feature needs a number",
                      "fill in or remove incomplete samples");
  }
  switch (fault) {
    case FeatureFault::not_finite:
      throw_input_error(text(where, ": ", quoted(word), " is not a finite number"), "distances to it are undefined",
                        "fill in or remove incomplete samples");
    case FeatureFault::too_large:
      throw_input_error(text(where, ": ", quoted(word), " is too large"), "features are kept in single precision",
                        "give this feature in another unit");
    default:
      throw_input_error(text(where, ": ", quoted(word), " is not a number"), "",
                        "features must be numbers with a decimal point");
  }
}

}  // namespace krossfold::data
