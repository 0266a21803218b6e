// SPDX-License-Identifier: BSD-3-Clause
#include "table_roles.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/tables/table_columns.hpp"
#include "table_words.hpp"

namespace krossfold::tables {
namespace {

constexpr int unused = -5;

struct RoleFinder {
  const std::vector<std::string>& names;
  bool named;
  const std::string& file;
  ColumnRoles& roles;

  /// Gives the column that COLUMN means a role.
  int give(const std::string& parameter, const std::string& word, int role) {
    const int column = find_column(parameter, word, names, named, file, roles.warning);
    take(parameter, column, role);
    return column;
  }

  /// Gives the column that COLUMN meant in the training data a role, if these data have it: by the name it had there, or by its
  /// number if one of both tables has no names and this one has as many columns.
  void give_if_there(const std::string& word, const std::string& trained, const TableEncoding& encoding, int role) {
    if (word.empty()) return;
    const auto named_so = std::find(names.begin(), names.end(), trained.empty() ? word : trained);
    auto j = static_cast<int>(named_so - names.begin());
    if (named_so == names.end()) {
      if (named && !trained.empty()) return;
      const auto fault = std::from_chars(word.data(), word.data() + word.size(), j);
      const bool number = fault.ec == std::errc{} && fault.ptr == word.data() + word.size();
      if (j < 0) j += encoding.columns + 1;
      if (!number || static_cast<int>(names.size()) != encoding.columns || j < 1 || j > encoding.columns) return;
      --j;
    }
    int& old = roles.of[static_cast<std::size_t>(j)];
    if (old == unused) old = role;
  }

  /// Whether these values of --drop meant the column in training: it has the name of one that was left out, or, where names are lacking, its
  /// number in a file of as many columns.
  bool dropped_in_training(int column, const std::vector<std::string>& words, const TableEncoding& encoding) const {
    if (words.empty()) return false;
    const auto among = [](const std::string& one, const std::vector<std::string>& all) {
      return std::find(all.begin(), all.end(), one) != all.end();
    };
    if (named && !encoding.dropped.empty() && !name(column).empty()) return among(name(column), encoding.dropped);
    const int columns = static_cast<int>(names.size());
    return columns == encoding.columns &&
           (among(std::to_string(column), words) || among(std::to_string(column - 1 - columns), words));
  }

  void take(const std::string& parameter, int column, int role) {
    int& old = roles.of[static_cast<std::size_t>(column - 1)];
    if (old == role && role == ColumnRoles::dropped) return;
    if (old != unused) {
      throw_input_error(text(column_text(column, name(column)), " of ", file, " has two uses"),
                        text("one of them is ", parameter), "give each column one use");
    }
    old = role;
  }

  void drop(const std::vector<std::string>& words) {
    for (const std::string& word : words) give("drop", word, ColumnRoles::dropped);
  }

  void take_label(int column) {
    roles.label_column = column;
    roles.label_name = name(column);
  }

  const std::string& name(int column) const { return names[static_cast<std::size_t>(column - 1)]; }
};

void warn_of_equal_names(const std::vector<std::string>& names, std::vector<std::string>& warning) {
  std::vector<std::string> sorted = names, twice;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] == sorted[i - 1] && !sorted[i].empty() && (twice.empty() || twice.back() != sorted[i])) {
      twice.push_back(sorted[i]);
    }
  }
  if (!twice.empty()) warning.push_back(text("several columns have the same name: ", some_of(twice)));
}

/// Whether COLUMN is the first of these by its number.
bool is_first(const std::string& column, const std::vector<std::string>& names) {
  const bool number = column == "1" || column == std::to_string(-static_cast<int>(names.size()));
  return number && std::find(names.begin(), names.end(), column) == names.end();
}

/// Whether parameters make the first of columns with these names the label, the groups or the weights, by its number.
bool uses_first(const TableParams& params, const std::vector<std::string>& names) {
  return is_first(params.label, names) || is_first(params.group, names) || is_first(params.weight, names);
}

/// Roles for data to learn from.
void find_all(RoleFinder& finder, const TableParams& params, bool labels_apart, bool row_names) {
  ColumnRoles& roles = finder.roles;
  if (row_names && !uses_first(params, finder.names)) roles.of[0] = ColumnRoles::dropped;
  finder.drop(params.drop);
  if (!params.group.empty()) roles.group_name = finder.name(finder.give("group", params.group, ColumnRoles::group));
  if (!params.weight.empty()) {
    roles.weight_name = finder.name(finder.give("weight", params.weight, ColumnRoles::weight));
  }
  if (!params.label.empty()) {
    finder.take_label(finder.give("label", params.label, ColumnRoles::label));
  } else if (!labels_apart) {
    const auto last = std::find(roles.of.rbegin(), roles.of.rend(), unused);
    if (last == roles.of.rend()) throw_input_error(text(finder.file, " has no column left for the label"));
    const int before = last == roles.of.rbegin() ? unused : *(last - 1);
    *last = ColumnRoles::label;
    roles.label_by_default = true;
    finder.take_label(static_cast<int>(roles.of.rend() - last));
    if (before == ColumnRoles::group || before == ColumnRoles::weight) {
      roles.warning.push_back(text("the last column is that of the ",
                                   before == ColumnRoles::group ? "groups" : "weights", ", so that the label is ",
                                   column_text(roles.label_column, roles.label_name), "; name it with --label"));
    }
  }
  for (std::size_t j = 0; j < roles.of.size(); ++j) {
    if (roles.of[j] != unused) continue;
    roles.of[j] = static_cast<int>(roles.feature.size());
    FeatureColumn& feature = roles.feature.emplace_back();
    feature.name = finder.names[j];
    feature.column = static_cast<int>(j) + 1;
  }
}

/// Roles for data to predict.
void find_known(RoleFinder& finder, const TableParams& params, const TableEncoding& encoding, bool labels_apart) {
  ColumnRoles& roles = finder.roles;
  int label = 0;
  if (!params.label.empty()) label = finder.give("label", params.label, ColumnRoles::label);
  const ColumnMatch match = match_columns(encoding, finder.names, finder.named, finder.file, label);
  roles.warning.insert(roles.warning.end(), match.warning.begin(), match.warning.end());
  roles.feature = encoding.column;
  for (std::size_t k = 0; k < match.column.size(); ++k) {
    finder.take("a feature of the model", match.column[k], static_cast<int>(k));
    roles.feature[k].column = match.column[k];
  }
  if (label > 0) {
    finder.take_label(label);
  } else if (match.label_column > 0 && !labels_apart) {
    finder.take("label", match.label_column, ColumnRoles::label);
    finder.take_label(match.label_column);
  }
  finder.give_if_there(params.group, encoding.group, encoding, ColumnRoles::group);
  finder.give_if_there(params.weight, encoding.weight, encoding, ColumnRoles::weight);
  std::vector<std::string> surplus;
  for (const int column : match.surplus) {
    // Nobody misses what was left out of the training data, or an index, whose name cannot be misspelled.
    const bool expected = finder.dropped_in_training(column, params.drop, encoding) ||
                          (column == 1 && finder.named && finder.name(column).empty());
    if (roles.of[static_cast<std::size_t>(column - 1)] == unused && !expected)
      surplus.push_back(column_text(column, finder.name(column)));
  }
  if (!surplus.empty() && !match.listed) {
    roles.warning.push_back(
        text(finder.file, " has columns that the model does not know, which were ignored: ", some_of(surplus)));
  }
  std::replace(roles.of.begin(), roles.of.end(), unused, ColumnRoles::dropped);
}

/// Whether the names of rows that a file has before columns with names count as the first column of a model without names: the file has as
/// many columns as the training file with them, and that column, if it is a feature, was of the same kind. Throws an input error if it may
/// as well be the training file without its label behind them.
bool counts_row_names(std::size_t columns, const TableParams& params, const TableEncoding& encoding, RowNameKind kind,
                      const std::string& file) {
  if (columns != static_cast<std::size_t>(encoding.columns)) return false;
  const auto other_kind = [kind](const FeatureColumn& one) {
    return one.column == 1 && one.text != (kind == RowNameKind::words);
  };
  if (std::any_of(encoding.column.begin(), encoding.column.end(), other_kind)) return false;
  if (params.labelled || !params.label.empty() || encoding.label_column <= 0) return true;
  throw_input_error(text(file, " can be read in two ways"),
                    text("with the names of its rows it has ", columns,
                         " columns, like the training file, and without them as many as that without its label"),
                    "remove the line of names, and if the label is missing, the names of the rows, too; or, if it is "
                    "there, name it with --label");
}

/// The same behind the names of rows, which a model without names does not count.
void find_known_behind(RoleFinder& finder, const TableParams& params, const TableEncoding& encoding) {
  const std::vector<std::string> names(finder.names.begin() + 1, finder.names.end());
  ColumnRoles behind;
  behind.of.assign(names.size(), unused);
  const std::string file = finder.file + ", behind the names of its rows,";
  RoleFinder rest{names, finder.named, file, behind};
  find_known(rest, params, encoding, false);
  behind.of.insert(behind.of.begin(), ColumnRoles::dropped);
  for (FeatureColumn& feature : behind.feature) ++feature.column;
  if (behind.label_column > 0) ++behind.label_column;
  behind.warning.insert(behind.warning.begin(), finder.roles.warning.begin(), finder.roles.warning.end());
  finder.roles = std::move(behind);
}

}  // namespace

void store_roles(Table& table, const ColumnRoles& roles) {
  table.label_name = roles.label_name;
  table.group_name = roles.group_name;
  table.weight_name = roles.weight_name;
  table.label_column = roles.label_column;
  table.label_by_default = roles.label_by_default;
  table.dropped = roles.left_out;
  table.dropped_name = roles.left_out_name;
}

ColumnRoles find_roles(const std::vector<std::string>& names, bool named, const TableParams& params,
                       const TableEncoding* encoding, const std::string& file, bool labels_apart,
                       RowNameKind row_names) {
  ColumnRoles roles;
  roles.of.assign(names.size(), unused);
  RoleFinder finder{names, named, file, roles};
  warn_of_equal_names(names, roles.warning);
  if (encoding != nullptr && row_names != RowNameKind::none && !encoding->named &&
      !counts_row_names(names.size(), params, *encoding, row_names, file)) {
    find_known_behind(finder, params, *encoding);
  } else if (encoding != nullptr) {
    find_known(finder, params, *encoding, labels_apart);
  } else {
    find_all(finder, params, labels_apart, row_names != RowNameKind::none);
  }
  if (roles.feature.empty()) {
    throw_input_error(text(file, " holds nothing but a label"), "a line needs its features, too",
                      "separate the fields with commas, or give --delimiter");
  }
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (roles.of[j] != ColumnRoles::dropped) continue;
    roles.left_out.push_back(column_text(static_cast<int>(j) + 1, names[j]));
    if (!names[j].empty()) roles.left_out_name.push_back(names[j]);
  }
  return roles;
}

}  // namespace krossfold::tables
