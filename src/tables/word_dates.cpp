// SPDX-License-Identifier: BSD-3-Clause
// Implements is_date of column_names.hpp.
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

  bool is_day() const { return !is_month_name && length <= 2 && number >= 1 && number <= 31; }
  bool is_month() const { return (is_month_name || length <= 2) && number >= 1 && number <= 12; }
  bool is_long_year() const { return !is_month_name && length == 4 && number >= 1500 && number < 2200; }
  bool is_short_year() const { return !is_month_name && length == 2; }
};

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// Whether `word` is one of these names, or begins one with three letters or more; its place in `place`.
template <std::size_t count>
bool names_one(std::string_view word, const std::array<std::string_view, count>& names, int& place) {
  const std::string low = in_lower_case(word);
  const auto found =
      std::find_if(names.begin(), names.end(), [&](std::string_view one) { return one.starts_with(low); });
  place = static_cast<int>(found - names.begin());
  return word.size() >= 3 && found != names.end();
}

/// The letters at the beginning of `word`.
std::string_view letters_of(std::string_view word) {
  return word.substr(0, static_cast<std::size_t>(std::find_if_not(word.begin(), word.end(), is_letter) - word.begin()));
}

/// The part at the beginning of `word`, which loses it.
DatePart next_part(std::string_view& word) {
  constexpr std::array<std::string_view, 12> months{"january",   "february", "march",    "april",
                                                    "may",       "june",     "july",     "august",
                                                    "september", "october",  "november", "december"};
  DatePart part;
  for (; part.length < word.size() && part.length < 5 && is_digit(word[part.length]); ++part.length)
    part.number = 10 * part.number + (word[part.length] - '0');
  if (const std::string_view letters = letters_of(word); part.length == 0 && names_one(letters, months, part.number)) {
    part = {letters.size(), part.number + 1, true};
  }
  word.remove_prefix(part.length);
  return part;
}

/// Passes over "Wed, " or "Wednesday ".
void skip_weekday(std::string_view& word) {
  constexpr std::array<std::string_view, 7> days{"monday", "tuesday",  "wednesday", "thursday",
                                                 "friday", "saturday", "sunday"};
  const std::string_view letters = letters_of(word);
  int day = 0;
  if (!names_one(letters, days, day)) return;
  word.remove_prefix(letters.size());
  word.remove_prefix(std::min(word.find_first_not_of(", "), word.size()));
}

/// 14:30, 7:42:12 or 7:42:12.5, with am or pm or without.
bool is_time(std::string_view word) {
  const auto digits = [&](std::size_t most) {
    const auto length = static_cast<std::size_t>(std::find_if_not(word.begin(), word.end(), is_digit) - word.begin());
    const bool fits = length >= 1 && length <= most;
    word.remove_prefix(length);
    return fits;
  };
  const auto sixtieths = [&] {
    if (word.size() < 3 || word[0] != ':' || word[1] < '0' || word[1] > '5' || !is_digit(word[2])) return false;
    word.remove_prefix(3);
    return true;
  };
  if (!digits(3) || !sixtieths()) return false;
  if (sixtieths() && word.starts_with('.')) {
    word.remove_prefix(1);
    if (!digits(9)) return false;
  }
  if (word.starts_with(' ')) word.remove_prefix(1);
  const std::string rest = in_lower_case(word);
  return rest.empty() || rest == "am" || rest == "pm" || rest == "z";
}

/// 2024Q1, 2024-Q1 or Q1 2024.
bool is_quarter(std::string_view word) {
  const auto quarter = [&] {
    const bool is_one = word.size() >= 2 && (word[0] == 'Q' || word[0] == 'q') && word[1] >= '1' && word[1] <= '4';
    if (is_one) word.remove_prefix(2);
    return is_one;
  };
  const auto sign = [&] {
    if (!word.empty() && std::string_view(" -/:").find(word[0]) != std::string_view::npos) word.remove_prefix(1);
  };
  const bool first = quarter();
  if (first) sign();
  if (!next_part(word).is_long_year()) return false;
  if (!first) sign();
  return (first || quarter()) && word.empty();
}

}  // namespace

bool is_date(std::string_view word) {
  if (is_time(word) || is_quarter(word)) return true;
  skip_weekday(word);
  const DatePart first = next_part(word);
  const char sign = word.empty() ? '\0' : word.front();
  if (first.length == 0 || std::string_view("-/. ").find(sign) == std::string_view::npos) return false;
  word.remove_prefix(1);
  const DatePart middle = next_part(word);
  if (middle.length == 0 || (sign == ' ' && !first.is_month_name && !middle.is_month_name)) return false;
  if (word.empty() && sign != '.') {  // a month of a year
    return (first.is_long_year() && middle.is_month()) || (first.is_month() && middle.is_long_year()) ||
           (first.is_month_name && middle.is_short_year());
  }
  if (sign == ' ' && word.starts_with(", ")) word.remove_prefix(1);
  if (!word.starts_with(sign)) return false;
  word.remove_prefix(1);
  const DatePart last = next_part(word);
  // A time may follow.
  if (last.length == 0 || (!word.empty() && !word.starts_with(' ') && !word.starts_with('T'))) return false;
  const bool short_year = last.is_short_year() && (sign == '/' || middle.is_month_name);
  const bool year_first = first.is_long_year() && middle.is_month() && last.is_day();
  const bool year_last = (last.is_long_year() || short_year) &&
                         ((first.is_day() && middle.is_month()) || (first.is_month() && middle.is_day()));
  return year_first || year_last;
}

}  // namespace krossfold::tables
