// SPDX-License-Identifier: BSD-3-Clause
#include "drop_advice.hpp"

#include <algorithm>
#include <string_view>

#include "krossfold/core/text.hpp"
#include "table_warnings.hpp"

namespace krossfold::tables {
namespace {

/// How often a name is a column's.
std::ptrdiff_t namesakes(const Table& table, const std::string& name) {
  const auto same = [&](const FeatureColumn& one) { return one.name == name; };
  return std::count_if(table.column.begin(), table.column.end(), same) +
         std::count(table.dropped_name.begin(), table.dropped_name.end(), name) + (table.label_name == name ? 1 : 0) +
         (table.group_name == name ? 1 : 0) + (table.weight_name == name ? 1 : 0);
}

const char* when_given(const Table& table) { return table.converted ? "when you convert the file again, " : ""; }

}  // namespace

std::string unambiguous(const Table& table, const FeatureColumn& column) {
  // A name with a comma or something that a shell reads would have to be quoted.
  const auto is_odd = [](char letter) {
    return std::string_view(" \t,;:'\"`$&|<>()[]{}*?!#~\\").find(letter) != std::string_view::npos;
  };
  if (!column.name.empty() && std::none_of(column.name.begin(), column.name.end(), is_odd) &&
      namesakes(table, column.name) == 1) {
    return column.name;
  }
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
  constexpr std::size_t most_dropped = 24;
  std::string advice = text(when_given(table), columns.size() > 1 ? "leave them out" : "leave it out");
  if (is_of_entries(table)) return advice + " of the file";
  advice += " with --drop";
  if (columns.size() > most_dropped) return advice;
  for (const std::size_t j : columns) advice += (j == columns[0] ? " " : ",") + unambiguous(table, table.column[j]);
  return advice;
}

std::string share_advice(const Table& table, const FeatureColumn& column) {
  return text("; if samples with the same value belong together, such as those of one patient, ", when_given(table),
              "say --group ", unambiguous(table, column), " instead");
}

}  // namespace krossfold::tables
