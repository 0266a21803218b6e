// SPDX-License-Identifier: BSD-3-Clause
#include "row_names.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <unordered_set>

#include "first_heading.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/tables/table_fields.hpp"
#include "table_dialect.hpp"
#include "tables/column_names.hpp"
#include "tables/table_words.hpp"

namespace krossfold::tables {
namespace {

/// True for 3.1 beside 3, and for 3.2 beside 3.1, as make.unique() of R numbers repeated names.
bool continues_another(const std::string& word, const std::unordered_set<std::string>& names) {
  const auto point = word.rfind('.');
  if (point == std::string::npos) return false;
  const std::string name = word.substr(0, point), digits = word.substr(point + 1);
  int number = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (fault != std::errc{} || end != digits.data() + digits.size() || digits[0] == '0') return false;
  return names.contains(number == 1 ? name : text(name, ".", number - 1));
}

bool in_quotes(std::string_view field) {
  const auto at = field.find_first_not_of(" \t");
  return at != std::string_view::npos && field[at] == '"';
}

/// Whether every field of a line stands in quotes.
bool all_in_quotes(std::string_view line, char delimiter) {
  bool begins = true, inside = false;
  for (const char one : line) {
    if (begins && one == ' ') continue;
    if (begins && one != '"') return false;
    begins = !inside && one == delimiter;
    if (one == '"') inside = !inside;
  }
  return true;
}

/// What stands in quotes: all fields, or the names above and the first field of each line below and not all others, as R quotes words.
enum class Quotes { some, as_r, all };
Quotes quotes_of(const std::vector<SampleLine>& lines, char delimiter) {
  const auto begins_so = [](const SampleLine& one) { return in_quotes(one.content); };
  const auto is_quoted = [delimiter](const SampleLine& one) { return all_in_quotes(one.content, delimiter); };
  if (std::all_of(lines.begin() + 1, lines.end(), is_quoted)) return Quotes::all;
  const bool as_r = is_quoted(lines[0]) && std::all_of(lines.begin() + 1, lines.end(), begins_so);
  return as_r ? Quotes::as_r : Quotes::some;
}

/// Whether one whole number is less than another, both of any number of digits.
bool is_less(std::string_view one, std::string_view other) {
  one.remove_prefix(std::min(one.find_first_not_of('0'), one.size()));
  other.remove_prefix(std::min(other.find_first_not_of('0'), other.size()));
  return one.size() != other.size() ? one.size() < other.size() : one < other;
}

/// Whether numbers that all differ are too close together to do so by chance: numbers of rows in any order.
bool differ_by_design(const std::vector<std::string>& column) {
  std::vector<double> number;
  for (const std::string& word : column) {
    if (std::from_chars(word.data(), word.data() + word.size(), number.emplace_back()).ptr != word.data() + word.size())
      return false;
  }
  const auto [low, high] = std::minmax_element(number.begin(), number.end());
  return low != number.end() && are_too_close_to_differ(*low, *high, number.size());
}

/// Whether the words of the first line are rather those of a sample: one comes again in the column that it would head, or in the line.
bool is_sample(const std::vector<Fields>& split) {
  std::unordered_set<std::string> words;
  for (std::size_t j = 0; j < split[0].size(); ++j) {
    const std::string& word = split[0][j];
    if (word.empty()) continue;
    const auto again = [&](const Fields& one) { return j + 1 < one.size() && one[j + 1] == word; };
    if (!words.insert(word).second || std::any_of(split.begin() + 1, split.end(), again)) return true;
  }
  return false;
}

/// Whether the first column of the training data is in use, so that a first column may be this one.
bool learnt_from_first(const TableEncoding& encoding, bool words) {
  return encoding.label_column == 1 ||
         std::any_of(encoding.column.begin(), encoding.column.end(),
                     [&](const auto& one) { return one.column == 1 && one.text == words; });
}

/// Whether a comma between two fields of each line may stand before decimals; those that R writes do not end in 0.
bool may_have_decimal_commas(const std::vector<Fields>& split, bool of_r) {
  const std::size_t fields = split[1].size();
  const auto has_point = [](const std::string& one) {
    return one.find('.') != std::string::npos && is_number(one) && !may_have_thousands(one, '.');
  };
  for (std::size_t i = 1; i < split.size(); ++i) {
    if (std::any_of(split[i].begin() + 1, split[i].end(), has_point)) return false;
  }
  for (std::size_t j = 0; j + 1 < fields; ++j) {
    const bool may = std::all_of(split.begin() + 1, split.end(), [j, of_r](const Fields& one) {
      const std::string_view before = one[j];
      return is_whole(before.substr(before.starts_with('-') ? 1 : 0)) && is_whole(one[j + 1]) &&
             !(of_r && one[j + 1].ends_with('0'));
    });
    if (may) return true;
  }
  return false;
}

/// What to do with a first column that is not taken for row names.
std::string give_heading(const std::string& why) {
  return text(
      "give a heading to the column that lacks one: the first if it holds the names of rows (col.names = NA in R), or "
      "the last, such as labels that were appended (the first was not taken for names of rows, because ",
      why, ")");
}

/// Whether the words, which are not few, count 1, 2, 3, ..., as few columns of numbers do.
bool count_from_one(const std::vector<std::string>& column) {
  constexpr std::size_t few = 6;
  std::size_t number = 0;
  return column.size() >= few && std::all_of(column.begin(), column.end(),
                                             [&](const std::string& word) { return word == std::to_string(++number); });
}

}  // namespace

std::string why_no_row_names(const std::vector<std::string>& column) {
  const std::unordered_set<std::string> names(column.begin(), column.end());
  if (names.size() != column.size()) return "not all of it differ";
  std::size_t numbers = 0;
  bool ascend = true;
  std::string_view last;
  for (const std::string& name : column) {
    if (is_whole(name)) {
      ascend = ascend && (last.empty() || is_less(last, name));
      last = name;
    } else if (!is_number(name)) {
      continue;
    } else if (!continues_another(name, names)) {
      return "not all of it are words or whole numbers";
    }
    ++numbers;
  }
  if (numbers != 0 && numbers != column.size()) return "not all of it are words or whole numbers";
  return ascend || differ_by_design(column) ? "" : "its whole numbers do not ascend";
}

std::string row_names_text(const std::string& file, int line, bool left_out) {
  return text(file, ", line ", line,
              " has one name fewer than the other lines have fields: the first column was taken for the names of the "
              "rows, which have no heading, as R writes tables",
              left_out ? ", and left out" : "");
}

RowNames find_row_names(const std::vector<SampleLine>& lines, const std::vector<Fields>& split, char delimiter,
                        const TableEncoding* encoding) {
  if (split.size() < 2) return {};
  const std::size_t wanted = split[0].size() + 1;
  const auto fits = [wanted](const Fields& one) { return one.size() == wanted; };
  const auto fitting = static_cast<std::size_t>(std::count_if(split.begin() + 1, split.end(), fits));
  if (2 * fitting < split.size()) return {};
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (has_escaped_quotes(lines[i].content, delimiter, split[0].size())) {
      return {RowNameKind::none, advice_on_escapes(lines[i].number)};
    }
  }
  const Quotes quotes = quotes_of(lines, delimiter);
  const bool as_r = quotes == Quotes::as_r;
  if (!as_r && std::any_of(split[0].begin(), split[0].end(), is_number)) return {};
  if (fitting + 1 < split.size()) {
    const auto other = std::find_if_not(split.begin() + 1, split.end(), fits);
    const SampleLine& line = lines[static_cast<std::size_t>(other - split.begin())];
    if (has_escaped_quotes(line.content, delimiter, wanted)) return {RowNameKind::none, advice_on_escapes(line.number)};
    return {RowNameKind::none, give_heading(text("line ", line.number, " has other fields than most"))};
  }
  const auto without_last = static_cast<std::size_t>(
      std::count_if(split.begin() + 1, split.end(), [](const Fields& one) { return one.back().empty(); }));
  if (without_last + 1 == split.size()) {
    return {RowNameKind::none,
            as_r ? give_heading("the last field of all other lines is empty")
                 : "remove the delimiter at the end of all lines but the first, or end the first with one, too"};
  }
  if (!as_r && 10 * without_last >= 9 * (split.size() - 1)) {
    return {RowNameKind::none, give_heading("the last field of most lines is empty")};
  }
  std::vector<std::string> column;
  for (std::size_t i = 1; i < split.size(); ++i) column.push_back(split[i][0]);
  const bool counted = count_from_one(column);
  if (!as_r && !counted && is_sample(split)) {
    if (quotes != Quotes::all) return {};
    return {RowNameKind::none, give_heading("a word of the first line comes again")};
  }
  std::unordered_set<std::string> names;
  for (std::size_t i = 1; i < split.size(); ++i) {
    const std::string& name = split[i][0];
    if (!names.insert(name).second) {
      return {RowNameKind::none, give_heading(text(name.empty() ? "an empty field" : quoted(name),
                                                   " is there twice, the second time in line ", lines[i].number))};
    }
  }
  const bool numbered = std::all_of(column.begin(), column.end(), is_number);
  const bool no_decimals = quotes == Quotes::all || (as_r && numbered);
  if (delimiter == ',' && !no_decimals && may_have_decimal_commas(split, as_r)) {
    return {RowNameKind::none, "if numbers have decimal commas, write them with points or in quotes; otherwise " +
                                   give_heading("numbers may have decimal commas")};
  }
  if (const std::string why = as_r ? "" : why_no_row_names(column); !why.empty()) {
    return {RowNameKind::none, give_heading(why)};
  }
  const bool lacks_none = encoding != nullptr && holds_all_names(split[0], *encoding) &&
                          std::find(split[0].begin(), split[0].end(), encoding->label) != split[0].end();
  // A model without names tells by how many columns there are.
  if (encoding != nullptr && encoding->named && !counted && !lacks_none &&
      learnt_from_first(*encoding, as_r || !numbered)) {
    return {RowNameKind::none, give_heading("it may be the first column of the training data")};
  }
  if (heads_first(split, as_r, counted)) {
    return {RowNameKind::none, give_heading(text("the first heading, ", quoted(split[0][0]), ", may be its own"))};
  }
  return {numbered ? RowNameKind::numbers : RowNameKind::words, ""};
}

}  // namespace krossfold::tables
