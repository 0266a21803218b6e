// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/sample_matrix.hpp"
#include "krossfold/tables/table_columns.hpp"
#include "table_roles.hpp"
#include "table_warnings.hpp"
#include "table_words.hpp"

namespace krossfold::tables {
namespace {

std::string where(const Table& table, std::size_t sample, std::size_t k) {
  return text(table.name, ", ", table.line_word, " ", table.line[sample], ", ",
              column_text(table.column[k].column, table.column[k].name));
}

/// Refuses text, unless it is to be encoded, and missing values, unless they are to be filled in.
void check_content(const Table& table, const TableParams& params, const TableEncoding* encoding) {
  const bool known = encoding != nullptr;
  for (const FeatureColumn& column : table.column) {
    require(!column.text || params.categorical != "refuse",
            text(column_text(column.column, column.name), " of ", table.name, " holds text"), "features are numbers",
            known ? "give data of the kind used for training" : "encode text with --categorical onehot");
  }
  if (keeps_missing(params, encoding) || !table.incomplete) return;
  for (std::size_t i = 0; i < table.line.size(); ++i) {
    for (std::size_t k = 0; k < table.column.size(); ++k) {
      if (table.column[k].text ? table.words[k].code[i] >= 0 : !std::isnan(table.value(i, k))) continue;
      throw_input_error(
          text(where(table, i, k), ": the value is missing"), "",
          known ? learnt_complete : "fill it in, or say what missing values become with --missing mean or median");
    }
  }
}

/// The columns of the file by name, as far as the table remembers them.
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names(static_cast<std::size_t>(table.columns));
  for (const FeatureColumn& column : table.column) names[static_cast<std::size_t>(column.column - 1)] = column.name;
  if (table.label_column > 0) names[static_cast<std::size_t>(table.label_column - 1)] = table.label_name;
  return names;
}

/// What was left out when the file was made, as values of --drop.
std::vector<std::string> absent_columns(const Table& table) {
  std::vector<bool> there(static_cast<std::size_t>(table.columns), false);
  for (const FeatureColumn& column : table.column) there[static_cast<std::size_t>(column.column - 1)] = true;
  std::vector<std::string> absent;
  for (int j = 1; j <= table.columns; ++j) {
    if (!there[static_cast<std::size_t>(j - 1)] && j != table.label_column) absent.push_back(std::to_string(j));
  }
  return absent;
}

/// The table with the columns of `encoding` in its order.
Table choose_columns(Table table, const TableEncoding& encoding) {
  const ColumnRoles roles = find_roles(names_of(table), table.named, {.drop = absent_columns(table)}, &encoding,
                                       table.name, table.label_column < 0);
  std::vector<std::size_t> from;
  for (std::size_t k = 0; k < roles.feature.size(); ++k) {
    const FeatureColumn& wanted = roles.feature[k];
    const auto found = std::find_if(table.column.begin(), table.column.end(),
                                    [&](const FeatureColumn& one) { return one.column == wanted.column; });
    if (found == table.column.end()) {
      throw_input_error(text(table.name, " lacks ", column_text(wanted.column, wanted.name)),
                        "it was left out when the file was made", "convert the original again with this column");
    }
    if (found->text != wanted.text) {
      throw_input_error(text(column_text(wanted.column, wanted.name), " of ", table.name, " holds ",
                             found->text ? "text" : "numbers"),
                        text("it held ", wanted.text ? "text" : "numbers", " in training"),
                        "give data of the kind used for training");
    }
    from.push_back(static_cast<std::size_t>(found - table.column.begin()));
  }
  const Matrix<float> values =
      data::allocate_samples(static_cast<std::uint64_t>(table.size()), from.size(), table.name);
  for (std::size_t i = 0; i < table.line.size(); ++i) {
    for (std::size_t k = 0; k < from.size(); ++k) values(i, k) = table.value(i, from[k]);
  }
  std::vector<WordColumn> words;
  for (const std::size_t k : from) words.push_back(table.words[k]);
  table.value = values;
  table.words = std::move(words);
  table.column = roles.feature;
  table.warning.insert(table.warning.end(), roles.warning.begin(), roles.warning.end());
  if (roles.label_column == 0 && table.label_column > 0) {
    table.label = {};
    table.label_column = 0;
    table.label_name.clear();
  }
  return table;
}

}  // namespace

Table finish_table(Table table, const TableParams& params, const TableEncoding* encoding) {
  check_table_params(params);
  if (encoding == nullptr) {
    check_content(table, params, nullptr);
    add_warnings(table);
    return table;
  }
  const bool texts =
      std::any_of(encoding->column.begin(), encoding->column.end(), [](const FeatureColumn& one) { return one.text; });
  Table chosen = choose_columns(std::move(table), *encoding);
  TableParams allowed = params;
  if (texts) allowed.categorical = "onehot";
  check_content(chosen, allowed, encoding);
  return chosen;
}

}  // namespace krossfold::tables
