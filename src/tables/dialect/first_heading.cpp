// SPDX-License-Identifier: BSD-3-Clause
#include "first_heading.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_set>

#include "krossfold/tables/table_fields.hpp"
#include "tables/column_names.hpp"
#include "tables/table_words.hpp"

namespace krossfold::tables {
namespace {

/// The words of a heading such as student_name or Item No, in lower case.
std::vector<std::string> all_words_of(std::string_view heading) {
  const std::string low = in_lower_case(heading);
  std::vector<std::string> words;
  for (auto begin = low.begin(); begin != low.end();) {
    const auto letter = std::find_if(begin, low.end(), is_letter);
    begin = std::find_if_not(letter, low.end(), is_letter);
    if (letter != begin) words.emplace_back(letter, begin);
  }
  return words;
}

template <std::size_t count>
bool is_one_of(const std::array<std::string_view, count>& all, const std::string& word) {
  return std::find(all.begin(), all.end(), word) != all.end();
}

/// A heading without brackets around all of it, as some databases write names.
std::string without_brackets(const std::string& heading) {
  const bool inside = heading.size() > 2 && heading.starts_with('[') && heading.ends_with(']');
  return inside ? heading.substr(1, heading.size() - 2) : heading;
}

/// The words of a heading before what stands in brackets.
std::vector<std::string> words_of(const std::string& heading) {
  return all_words_of(std::string_view(heading).substr(0, heading.find_first_of("([", 1)));
}

/// Words without a unit of time at their end.
std::vector<std::string> without_unit(std::vector<std::string> words) {
  constexpr std::array<std::string_view, 8> units{"s", "sec", "ms", "us", "min", "h", "hr", "hrs"};
  if (!words.empty() && is_one_of(units, words.back())) words.pop_back();
  return words;
}

/// Whether the last word of a heading is one of these.
template <std::size_t count>
bool ends_with_one(const std::vector<std::string>& words, const std::array<std::string_view, count>& ends) {
  return !words.empty() && is_one_of(ends, words.back());
}

/// Whether a heading is that of numbers or codes of things.
bool names_numbers(const std::string& heading, const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 10> numbers{"case", "cases", "code", "codes", "index",
                                                     "key",  "no",    "nr",   "num",   "number"};
  return is_identifier(heading) || ends_with_one(words, numbers);
}

/// Whether a heading is that of things for which rows stand.
bool names_things(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 46> things{
      "animal",    "artist",   "author",      "brand",   "city",    "company", "county", "country",
      "countries", "district", "employee",    "entity",  "family",  "firm",    "gene",   "genotype",
      "item",      "label",    "location",    "model",   "name",    "names",   "nation", "object",
      "order",     "pair",     "participant", "patient", "person",  "place",   "plant",  "player",
      "plot",      "product",  "province",    "region",  "sample",  "school",  "site",   "species",
      "state",     "station",  "student",     "study",   "subject", "team"};
  return ends_with_one(words, things);
}

bool is_year(const std::string& field) {
  return is_whole(field) && field.size() == 4 && field >= "1500" && field < "2200";
}

}  // namespace

bool heads_first(const std::vector<Fields>& split, bool as_r, bool counted) {
  constexpr std::array<std::string_view, 7> times{"date", "datetime", "day", "epoch", "time", "timestamp", "ts"};
  const std::string heading = without_brackets(split[0][0]);
  const std::vector<std::string> words = words_of(heading);
  const std::string second = split[0].size() > 1 ? without_brackets(split[0][1]) : "";
  if ((as_r && counted) || words.empty() || all_words_of(heading) == all_words_of(second)) return false;
  const auto all = [&](std::size_t column, const auto& is_so) {
    return std::all_of(split.begin() + 1, split.end(), [&](const Fields& one) { return is_so(one[column]); });
  };
  const bool dated = all(0, is_date);
  if (!dated && words == words_of(second)) return false;
  const auto is_word = [](const std::string& one) { return !is_number(one); };
  const auto has_no_fraction = [](const std::string& one) { return !is_number(one) || is_whole(one); };
  const bool whole = all(1, has_no_fraction);
  const bool numbers = names_numbers(heading, words);
  if (numbers || names_things(words)) {
    std::unordered_set<std::string_view> fields;
    const bool differ = all(1, [&](const std::string& one) { return fields.insert(one).second; });
    const bool numbered = numbers && whole && differ;
    if (all(1, is_number) && ((all(0, is_word) && !numbered) || !whole)) return true;
    return !as_r && (numbers || (all(1, is_number) && !counted)) && !differ;
  }
  // What a date or year is of may stand behind it: date_of_visit, year_of_survey.
  if (std::find(words.begin(), words.end(), "year") != words.end() && all(0, is_year)) return !all(1, is_year);
  const auto names_dates = [&](const std::vector<std::string>& of) {
    return std::any_of(of.begin(), of.end(), [&](const auto& one) { return is_one_of(times, one); });
  };
  if (dated) return names_dates(words) && (!all(1, is_date) || (names_dates(words_of(second)) && !all(2, is_date)));
  return ends_with_one(without_unit(words), times) && !as_r && all(0, is_whole) && all(1, is_number) && !whole;
}

}  // namespace krossfold::tables
