// SPDX-License-Identifier: BSD-3-Clause
// Implements warn_of_numbers of table_warnings.hpp.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "krossfold/core/text.hpp"
#include "table_warnings.hpp"
#include "table_words.hpp"

namespace krossfold::tables {
namespace {

/// The lowest and the highest number of each column.
struct Ranges {
  std::vector<float> lowest, highest;
};

Ranges ranges_of(const Table& table) {
  const auto columns = table.column.size();
  Ranges range{std::vector<float>(columns, HUGE_VALF), std::vector<float>(columns, -HUGE_VALF)};
  std::vector<float>&lowest = range.lowest, &highest = range.highest;
  for (std::size_t j = 0; table.is_sparse() && j < columns; ++j) {
    const std::int64_t first = table.across.begin(j), last = table.across.begin(j + 1);
    if (last - first < table.size()) lowest[j] = highest[j] = 0;
    for (std::int64_t e = first; e < last; ++e) {
      lowest[j] = std::min(lowest[j], table.across.value(e));
      highest[j] = std::max(highest[j], table.across.value(e));
    }
  }
  for (std::size_t i = 0; !table.is_sparse() && i < static_cast<std::size_t>(table.size()); ++i) {
    const float* value = &table.value(i, 0);
    for (std::size_t j = 0; j < columns; ++j) {
      lowest[j] = value[j] < lowest[j] ? value[j] : lowest[j];
      highest[j] = value[j] > highest[j] ? value[j] : highest[j];
    }
  }
  return range;
}

/// Warns of numbers of nines such as -999 that stand in several samples, farther from all others than these from one another: they
/// are often written for what is missing.
void warn_of_codes(Table& table, const Ranges& range) {
  constexpr std::array<float, 9> codes{-99, -999, -9999, -99999, -999999, 999, 9999, 99999, 999999};
  if (table.is_sparse() || table.image.is_image()) return;
  if (is_of_entries(table)) return;  // what is left out is 0 there
  std::vector<std::string> found;
  for (std::size_t j = 0; j < table.column.size(); ++j) {
    for (const float code : codes) {
      if (table.column[j].text || code != (code < 0 ? range.lowest[j] : range.highest[j])) continue;
      int times = 0;
      float low = HUGE_VALF, high = -HUGE_VALF;
      for (std::size_t i = 0; i < static_cast<std::size_t>(table.size()); ++i) {
        const float value = table.value(i, j);
        times += value == code ? 1 : 0;
        if (value == code || std::isnan(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
      }
      const float away = code < 0 ? low - code : code - high;
      if (times < 2 || !(low < high) || !(away > high - low)) continue;
      found.push_back(text(column_text(table.column[j].column, table.column[j].name), " (", code, " in ", times,
                           " samples, else ", low, " to ", high, ")"));
    }
  }
  if (found.empty()) return;
  table.warning.push_back(
      text("numbers that look like a code for missing values are used as they are: ", some_of(found),
           "; leave such fields empty, and say what becomes of them with --missing"));
}

/// Warns of columns whose values are so small that single precision keeps few of their digits, or none.
void warn_of_small_numbers(Table& table, const Ranges& range) {
  constexpr double coarse = 1e-35, harmless = 1e-28;  // beside values of this size those that vanish are nothing
  std::vector<std::string> small;
  for (std::size_t j = 0; j < table.column.size(); ++j) {
    if (table.column[j].text || !(range.lowest[j] <= range.highest[j])) continue;
    const double most = std::max(std::abs(double{range.lowest[j]}), std::abs(double{range.highest[j]}));
    const bool vanished = !table.vanished.empty() && table.vanished[j] != 0;
    if ((vanished && most < harmless) || (most > 0 && most < coarse)) small.push_back(name_of(table, table.column[j]));
  }
  if (small.empty()) return;
  table.warning.push_back(
      text("columns whose numbers are too small for single precision, in which they become 0 or lose digits: ",
           some_of(small), "; give these features in another unit"));
}

/// Warns of columns whose values lie so close together, for their size, that single precision may have merged some.
void warn_of_precision(Table& table, const Ranges& range) {
  constexpr double steps = 4096, largest_whole = 1 << 24;
  const auto columns = table.column.size();
  const std::vector<float>&lowest = range.lowest, &highest = range.highest;
  std::vector<std::string> coarse;
  for (std::size_t j = 0; j < columns; ++j) {
    const double most = std::max(std::abs(double{lowest[j]}), std::abs(double{highest[j]}));
    const double step = most > 0 ? std::ldexp(1.0, std::ilogb(most) - 23) : 0;
    const bool rounded = !table.rounded.empty() && table.rounded[j] != 0;
    const bool exact =
        !rounded && most <= largest_whole && std::trunc(lowest[j]) == lowest[j] && std::trunc(highest[j]) == highest[j];
    if (table.column[j].text || !(lowest[j] <= highest[j]) || exact || highest[j] - double{lowest[j]} >= steps * step)
      continue;
    if (highest[j] == lowest[j] && most <= largest_whole && !rounded) continue;  // a constant
    coarse.push_back(text(name_of(table, table.column[j]), " (steps of ", step, ")"));
  }
  if (!coarse.empty()) table.warning.push_back(precision_warning(coarse));
}

}  // namespace

std::string name_of(const Table& table, const FeatureColumn& column) {
  if (!column.name.empty()) return column.name;
  return text(table.named ? "column " : "", column.column);
}

std::optional<double> rounded_from(std::string_view given, float value) {
  if (std::abs(value) < 262144) return std::nullopt;
  if (given.starts_with('+')) given.remove_prefix(1);
  double wide = value;
  std::from_chars(given.data(), given.data() + given.size(), wide);
  if (!is_rounded(wide, value)) return std::nullopt;
  return wide;
}

std::string precision_warning(const std::vector<std::string>& columns) {
  return text(
      "columns whose values are large for how little they differ, so that single precision merges those within a "
      "step: ",
      some_of(columns), "; subtract a constant from them before");
}

bool is_of_entries(const Table& table) { return table.line_word == "sample"; }

void warn_of_numbers(Table& table) {
  const Ranges range = ranges_of(table);
  warn_of_codes(table, range);
  warn_of_small_numbers(table, range);
  warn_of_precision(table, range);
}

}  // namespace krossfold::tables
