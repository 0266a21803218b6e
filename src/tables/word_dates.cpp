// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "column_names.hpp"
#include "table_words.hpp"

namespace krossfold::tables {
namespace {

/// A part of a date: digits, or the name of a month.
struct DatePart {
  std::size_t length = 0;
  int number = 0;
  bool is_month_name = false;
};

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// The part at the beginning of `word`, which loses it.
DatePart next_part(std::string_view& word) {
  constexpr std::array<std::string_view, 12> months{"jan", "feb", "mar", "apr", "may", "jun",
                                                    "jul", "aug", "sep", "oct", "nov", "dec"};
  DatePart part;
  for (; part.length < word.size() && part.length < 5 && is_digit(word[part.length]); ++part.length)
    part.number = 10 * part.number + (word[part.length] - '0');
  if (part.length == 0 && word.size() >= 3) {
    const auto found = std::find(months.begin(), months.end(), in_lower_case(word.substr(0, 3)));
    if (found != months.end()) part = {3, static_cast<int>(found - months.begin()) + 1, true};
  }
  word.remove_prefix(part.length);
  return part;
}

}  // namespace

bool is_date(std::string_view word) {
  const DatePart first = next_part(word);
  const char sign = word.empty() ? '\0' : word.front();
  if (first.length == 0 || (sign != '-' && sign != '/' && sign != '.')) return false;
  word.remove_prefix(1);
  const DatePart middle = next_part(word);
  if (middle.length == 0 || !word.starts_with(sign)) return false;
  word.remove_prefix(1);
  const DatePart last = next_part(word);
  // A time may follow.
  if (last.length == 0 || (!word.empty() && !word.starts_with(' ') && !word.starts_with('T'))) return false;
  const auto is_day = [](const DatePart& part) {
    return !part.is_month_name && part.length <= 2 && part.number >= 1 && part.number <= 31;
  };
  const auto is_month = [](const DatePart& part) { return part.length <= 3 && part.number >= 1 && part.number <= 12; };
  const auto is_long_year = [](const DatePart& part) {
    return part.length == 4 && part.number >= 1500 && part.number < 2200;
  };
  const auto is_year = [&](const DatePart& part) {
    return is_long_year(part) || (part.length == 2 && !part.is_month_name && (sign == '/' || middle.is_month_name));
  };
  const bool year_first = is_long_year(first) && is_month(middle) && is_day(last);
  const bool year_last = is_year(last) && ((is_day(first) && is_month(middle)) || (is_month(first) && is_day(middle)));
  return year_first || year_last;
}

}  // namespace krossfold::tables
