// SPDX-License-Identifier: BSD-3-Clause
#include "drop_advice.hpp"

#include <algorithm>
#include <string_view>

#include "krossfold/core/text.hpp"
#include "table_warnings.hpp"

namespace krossfold::tables {

std::string unambiguous(const Table& table, const FeatureColumn& column) {
  // A name with a comma or something that a shell reads would have to be quoted.
  const auto is_odd = [](char letter) {
    return std::string_view(" \t,;:'\"`$&|<>()[]{}*?!#~\\").find(letter) != std::string_view::npos;
  };
  const auto namesakes = std::count_if(table.column.begin(), table.column.end(),
                                       [&](const FeatureColumn& one) { return one.name == column.name; }) +
                         (table.label_name == column.name ? 1 : 0);
  if (!column.name.empty() && namesakes == 1 && std::none_of(column.name.begin(), column.name.end(), is_odd))
    return column.name;
  const std::string number = std::to_string(column.column);
  const std::string left_out = text("(", number, ")");  // a column of that name, which may be left out already
  const bool is_name =
      table.label_name == number || table.group_name == number || table.weight_name == number ||
      std::any_of(table.column.begin(), table.column.end(), [&](const auto& one) { return one.name == number; }) ||
      std::any_of(table.dropped.begin(), table.dropped.end(),
                  [&](const std::string& one) { return one.ends_with(left_out); });
  return is_name ? std::to_string(column.column - 1 - table.columns) : number;
}

std::string leave_out(const Table& table, const std::vector<std::size_t>& columns) {
  constexpr std::size_t most_dropped = 8;
  std::string advice = columns.size() > 1 ? ": leave them out" : ": leave it out";
  if (is_of_entries(table)) return advice + " of the file";
  advice += " with --drop";
  if (columns.size() > most_dropped) return advice;
  for (const std::size_t j : columns) advice += (j == columns[0] ? " " : ",") + unambiguous(table, table.column[j]);
  return advice;
}

}  // namespace krossfold::tables
