// SPDX-License-Identifier: BSD-3-Clause
#include "row_names.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <unordered_set>

#include "krossfold/core/text.hpp"
#include "krossfold/tables/table_fields.hpp"

namespace krossfold::tables {
namespace {

bool is_whole(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

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

/// Whether the first field of each line but the first stands in quotes, as R writes row names.
bool all_quoted(const std::vector<SampleLine>& lines) {
  return std::all_of(lines.begin() + 1, lines.end(), [](const SampleLine& one) {
    const auto at = one.content.find_first_not_of(" \t");
    return at != std::string_view::npos && one.content[at] == '"';
  });
}

/// Whether unquoted names are words alone or whole numbers alone, both with those that continue another one.
bool are_names(const std::unordered_set<std::string>& names) {
  std::size_t numbers = 0;
  for (const std::string& name : names) {
    const bool number = is_whole(name) || (is_number(name) && continues_another(name, names));
    if (!number && is_number(name)) return false;
    numbers += number ? 1 : 0;
  }
  return numbers == 0 || numbers == names.size();
}

/// Whether a comma between two fields of each line may stand before decimals.
bool may_have_decimal_commas(const std::vector<Fields>& split) {
  const std::size_t fields = split[1].size();
  const auto has_point = [](const std::string& one) {
    return one.find('.') != std::string::npos && is_number(one) && !may_have_thousands(one, '.');
  };
  for (std::size_t i = 1; i < split.size(); ++i) {
    if (std::any_of(split[i].begin() + 1, split[i].end(), has_point)) return false;
  }
  for (std::size_t j = 0; j + 1 < fields; ++j) {
    const bool may = std::all_of(split.begin() + 1, split.end(), [j](const Fields& one) {
      const std::string_view before = one[j];
      return is_whole(before.substr(before.starts_with('-') ? 1 : 0)) && is_whole(one[j + 1]);
    });
    if (may) return true;
  }
  return false;
}

/// What to do with a first column of row names that is not taken for one.
std::string give_heading(const std::string& why) {
  return text(
      "if the first column holds the names of the rows, as R writes them, give it a heading (col.names = NA "
      "in R): ",
      why);
}

}  // namespace

RowNames find_row_names(const std::vector<SampleLine>& lines, const std::vector<Fields>& split, char delimiter) {
  if (split.size() < 2 || std::any_of(split[0].begin(), split[0].end(), is_number)) return {};
  const std::size_t wanted = split[0].size() + 1;
  const auto fits = [wanted](const Fields& one) { return one.size() == wanted; };
  const auto other = std::find_if_not(split.begin() + 1, split.end(), fits);
  if (other != split.end()) {
    const auto fitting = static_cast<std::size_t>(std::count_if(split.begin() + 1, split.end(), fits));
    if (2 * fitting < split.size()) return {};
    const int number = lines[static_cast<std::size_t>(other - split.begin())].number;
    return {false, give_heading(text("line ", number, " has other fields than most"))};
  }
  if (std::all_of(split.begin() + 1, split.end(), [](const Fields& one) { return one.back().empty(); })) {
    return {false, "remove the delimiter at the end of all lines but the first, or end the first with one, too"};
  }
  std::unordered_set<std::string> names;
  for (std::size_t i = 1; i < split.size(); ++i) {
    const std::string& name = split[i][0];
    if (!names.insert(name).second) {
      return {false, give_heading(text(quoted(name), " is there twice, the second time in line ", lines[i].number))};
    }
  }
  if (all_quoted(lines)) return {true, ""};
  if (!are_names(names)) return {false, give_heading("not all of it are words or whole numbers")};
  if (delimiter == ',' && may_have_decimal_commas(split)) {
    return {false, "if numbers have decimal commas, write them with points or in quotes; " +
                       give_heading("they cannot be told apart here")};
  }
  return {true, ""};
}

}  // namespace krossfold::tables
