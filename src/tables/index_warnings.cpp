// SPDX-License-Identifier: BSD-3-Clause
// Implements warn_of_index of table_warnings.hpp.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "column_names.hpp"
#include "drop_advice.hpp"
#include "krossfold/core/text.hpp"
#include "table_warnings.hpp"
#include "table_words.hpp"

namespace krossfold::tables {
namespace {

enum Kind { none, unnamed, from_zero, from_one, ascending, in_steps, all_differ, identifier };
constexpr int kinds = identifier + 1;

/// What a column, or several, look like.
std::string look(Kind kind, bool several) {
  const char *has = several ? " have" : " has", *count = several ? " count" : " counts",
             *hold = several ? " hold" : " holds";
  switch (kind) {
    case unnamed:
      return text(has, " no name, like the index that pandas writes or R's row names");
    case from_zero:
      return text(count, " 0, 1, 2, ... like an index");
    case from_one:
      return text(count, " 1, 2, 3, ... like an index");
    case ascending:
      return text(hold, " ascending whole numbers, like an index");
    case in_steps:
      return text(count, " in equal steps from sample to sample, like an index");
    case all_differ:
      return text(hold, " whole numbers close together that all differ, like an index in another order");
    case identifier:
      return text(has, several ? " names of identifiers" : " the name of an identifier");
    case none:
      break;
  }
  return "";
}

/// The values of a column, zeros included.
std::vector<float> values_of(const Table& table, std::size_t j) {
  std::vector<float> values(static_cast<std::size_t>(table.size()), 0.0f);
  if (!table.is_sparse()) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = table.value(i, j);
    return values;
  }
  for (std::int64_t e = table.across.begin(j); e < table.across.begin(j + 1); ++e) {
    values[static_cast<std::size_t>(table.across.column(e))] = table.across.value(e);
  }
  return values;
}

/// True if the column counts on in equal steps from sample to sample, those that were left out included, as no measurement does by
/// chance.
bool counts_on(const Table& table, const std::vector<float>& value) {
  const auto row = [&](std::size_t i) { return table.row.empty() ? static_cast<int>(i) : table.row[i]; };
  const std::size_t samples = value.size();
  const double first = value[0], last = value[samples - 1], step = (last - first) / (row(samples - 1) - row(0));
  if (step == 0 || std::isnan(step)) return false;
  const double rounding = 1e-6 * std::max(std::abs(first), std::abs(last));
  for (std::size_t i = 1; i < samples; ++i) {
    const double away = std::abs(value[i] - (first + step * (row(i) - row(0))));
    if (!(away <= std::min(rounding, 0.01 * std::abs(step)))) return false;
  }
  return true;
}

/// True if whole numbers all differ, although they are too close together to do so by chance, as row numbers are.
bool differ_by_design(std::vector<float> value) {
  constexpr double marks = 64;  // per sample
  const auto [low, high] = std::minmax_element(value.begin(), value.end());
  const double range = double{*high} - *low + 1, samples = static_cast<double>(value.size());
  if (!are_too_close_to_differ(*low, *high, value.size()) || range < samples) return false;
  if (range > marks * samples) {
    std::sort(value.begin(), value.end());
    return std::adjacent_find(value.begin(), value.end()) == value.end();
  }
  std::vector<bool> seen(static_cast<std::size_t>(range), false);
  for (const float one : value) {
    const auto place = static_cast<std::size_t>(double{one} - *low);
    if (seen[place]) return false;
    seen[place] = true;
  }
  return true;
}

/// How many values differ, if all that are not missing are whole; else 0.
std::size_t distinct_whole(std::vector<float> value) {
  std::erase_if(value, [](float one) { return std::isnan(one); });
  if (std::any_of(value.begin(), value.end(), [](float one) { return std::trunc(one) != one; })) return 0;
  std::sort(value.begin(), value.end());
  return static_cast<std::size_t>(std::unique(value.begin(), value.end()) - value.begin());
}

/// Whether the first values of a column allow any kind but that of a name, so that most columns need not be read from end to end.
bool may_be_index(const Table& table, std::size_t j) {
  constexpr int most = 64;
  const auto looked_at = std::min(table.size(), most);
  bool whole = true, up = true, down = true;
  std::array<float, most> seen{};
  for (int i = 0; i < looked_at; ++i) {
    const float value = table.value(i, j);
    whole = whole && std::trunc(value) == value;
    up = up && (i == 0 || value > table.value(i - 1, j));
    down = down && (i == 0 || value < table.value(i - 1, j));
    if (!whole && !up && !down) return false;
    seen[static_cast<std::size_t>(i)] = value;
  }
  if (up || down) return true;
  auto* const end = seen.begin() + looked_at;
  std::sort(seen.begin(), end);
  return std::adjacent_find(seen.begin(), end) == end;
}

/// The kind of a column of numbers. The first one in use, or beside another index, is where an index stands.
Kind kind_of_numbers(const Table& table, std::size_t j, bool first) {
  constexpr std::size_t enough = 10, few = 3;
  // Two zeros of a sparse column are equal.
  if (table.is_sparse() && table.across.begin(j + 1) - table.across.begin(j) + 1 < table.size()) return none;
  const bool named = is_identifier(table.column[j].name);
  if (!table.is_sparse() && !named && !may_be_index(table, j)) return none;
  const std::vector<float> value = values_of(table, j);
  const bool many = value.size() >= enough;
  bool whole = true, up = true, by_one = true;
  for (std::size_t i = 0; i < value.size() && (whole || up); ++i) {
    whole = whole && std::trunc(value[i]) == value[i];
    if (i == 0) continue;
    up = up && value[i] > value[i - 1];
    by_one = by_one && value[i] == value[i - 1] + 1;
  }
  if (j == 0 && whole && up && by_one && value.size() >= few && (value[0] == 0 || value[0] == 1))
    return value[0] == 0 ? from_zero : from_one;
  if (many && counts_on(table, value)) return in_steps;
  if (first && whole && up && many) return ascending;
  if (whole && differ_by_design(value)) return all_differ;
  return named && distinct_whole(value) > 2 ? identifier : none;
}

Kind kind_of(const Table& table, std::size_t j, bool first) {
  if (is_unnamed_index(table, j)) return unnamed;
  return table.column[j].text ? none : kind_of_numbers(table, j, first);
}

/// What to do with identifiers that several samples share, a few each.
std::string group_advice(const Table& table, const std::vector<std::size_t>& found) {
  if (!table.group.code.empty() || is_of_entries(table)) return "";
  for (const std::size_t j : found) {
    if (!is_identifier(table.column[j].name) || table.column[j].text) continue;
    const std::size_t distinct = distinct_whole(values_of(table, j));
    if (is_shared_by_few(distinct, static_cast<std::size_t>(table.size()))) return share_advice(table, table.column[j]);
  }
  return "";
}

}  // namespace

std::vector<char> warn_of_index(Table& table) {
  std::vector<char> index(table.column.size(), 0);
  if (table.image.is_image()) return index;
  std::array<std::vector<std::string>, kinds> of_kind;
  std::vector<Kind> order;  // by their first columns
  std::vector<std::size_t> found;
  for (std::size_t j = 0; j < table.column.size(); ++j) {
    const Kind kind = kind_of(table, j, found.size() == j);
    if (kind == none) continue;
    index[j] = 1;
    found.push_back(j);
    if (of_kind[kind].empty()) order.push_back(kind);
    of_kind[kind].push_back(column_text(table.column[j].column, table.column[j].name));
  }
  if (found.empty()) return index;
  std::string looks;
  for (const Kind kind : order) {
    const std::vector<std::string>& columns = of_kind[kind];
    looks += text(looks.empty() ? "" : "; ", some_of(columns), look(kind, columns.size() > 1));
  }
  const bool several = found.size() > 1;
  table.warning.push_back(text(looks, order.size() > 1 ? "; they" : ", and",
                               several ? " are used as features: " : " is used as a feature: ", leave_out(table, found),
                               several ? " unless they mean something" : " unless it means something",
                               group_advice(table, found)));
  return index;
}

}  // namespace krossfold::tables
