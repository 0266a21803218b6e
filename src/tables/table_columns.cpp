// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/tables/table_columns.hpp"

#include <algorithm>
#include <unordered_map>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "table_words.hpp"

namespace krossfold::tables {
namespace {

constexpr const char* other_data = "give data of the kind used for training";
constexpr std::size_t most_listed = 24;

/// What the columns of a file were taken for, by their names in training, if some are no features: ": read as id (ignored), age, ...".
std::string reading_of(const TableEncoding& encoding, int columns, int label, const ColumnMatch& match) {
  if (match.column.size() == static_cast<std::size_t>(columns)) return "";
  std::vector<std::string> use(static_cast<std::size_t>(columns), "(ignored)");
  const int at = label > 0 ? label : match.label_column;
  if (at > 0) use[static_cast<std::size_t>(at - 1)] = encoding.label.empty() ? "(label)" : encoding.label + " (label)";
  for (std::size_t k = 0; k < match.column.size(); ++k) {
    const FeatureColumn& column = encoding.column[k];
    use[static_cast<std::size_t>(match.column[k] - 1)] =
        column.name.empty() ? text("column ", column.column) : column.name;
  }
  const bool no_label = encoding.label_column > 0 && at == 0;
  return text(": read as ", no_label ? "the training file without its label: " : "", some_of(use, most_listed),
              no_label ? "; if another column is missing, give the features alone, or a table with names" : "");
}

void match_by_position(const TableEncoding& encoding, int columns, const std::string& file, bool named, int label,
                       ColumnMatch& match) {
  const int features = static_cast<int>(encoding.column.size());
  const bool labelled = encoding.label_column > 0;
  if (columns == encoding.columns) {
    for (const FeatureColumn& column : encoding.column) match.column.push_back(column.column);
    match.label_column = labelled ? encoding.label_column : 0;
  } else if (label > 0 && columns == features + 1) {
    for (int j = 1; j <= columns; ++j) {
      if (j != label) match.column.push_back(j);
    }
  } else if (labelled && label == 0 && columns == encoding.columns - 1) {
    if (columns == features + 1) {
      throw_input_error(text(file, " has no names and ", columns, " columns, which can be read in two ways"),
                        text("the model learnt from a file of ", encoding.columns,
                             ", of which one is its label and one has no use; here one of the two is missing"),
                        text("give the names of the columns in the first line, leave both out, or, if the label is "
                             "here, say --label and its number"));
    }
    for (const FeatureColumn& column : encoding.column) {
      match.column.push_back(column.column - (column.column > encoding.label_column ? 1 : 0));
    }
  } else if (columns == features) {
    for (int j = 1; j <= features; ++j) match.column.push_back(j);
  } else {
    throw_input_error(
        text(file, " has ", columns, columns == 1 ? " column" : " columns"),
        text("the model learnt ", features, " from a file of ", encoding.columns,
             labelled ? ", its label included" : ""),
        text(other_data, ": the ", features, " features alone", encoding.named ? ", or a table with their names" : "",
             label == 0 && columns == features + 1 ? "; if one of the columns is the label, say --label and its number"
                                                   : ""));
  }
  if (!named && !encoding.named && columns == encoding.columns) return;  // a file of the same form, as it can only be
  match.warning.push_back(text("the columns of ", file, " were matched by position, because ",
                               named            ? "the model"
                               : encoding.named ? "the file"
                                                : "neither the model nor the file",
                               named || encoding.named ? " has no names" : " has names",
                               reading_of(encoding, columns, label, match)));
  match.listed = static_cast<std::size_t>(columns) <= most_listed;
}

[[noreturn]] void throw_missing(const std::vector<std::string>& missing, const std::vector<std::string>& names,
                                const std::string& file) {
  const std::string near = nearest_word(missing[0], names);
  throw_input_error(text(file, " lacks the column", missing.size() > 1 ? "s " : " ", some_of(missing)),
                    text("the model needs ", missing.size() > 1 ? "them" : "it", "; the file has ", some_of(names)),
                    near.empty() ? other_data : text("Is ", near, " meant for ", missing[0], "?"));
}

}  // namespace

ColumnMatch match_columns(const TableEncoding& encoding, const std::vector<std::string>& names, bool named,
                          const std::string& file, int label) {
  ColumnMatch match;
  const int columns = static_cast<int>(names.size());
  std::vector<bool> used(names.size() + 1, false);
  if (!encoding.named || !named) {
    match_by_position(encoding, columns, file, named, label, match);
  } else {
    std::unordered_map<std::string, std::vector<int>> where;
    for (int j = 1; j <= columns; ++j) where[names[static_cast<std::size_t>(j - 1)]].push_back(j);
    std::vector<std::string> missing;
    for (const FeatureColumn& column : encoding.column) {
      const auto found = where.find(column.name);
      if (found == where.end()) {
        missing.push_back(column.name.empty() ? text("without a name (column ", column.column, ")") : column.name);
        continue;
      }
      const std::vector<int>& at = found->second;
      if (at.size() == 1 && !used[static_cast<std::size_t>(at[0])]) {
        match.column.push_back(at[0]);
        used[static_cast<std::size_t>(at[0])] = true;
      } else if (columns == encoding.columns && std::find(at.begin(), at.end(), column.column) != at.end()) {
        match.column.push_back(column.column);
        used[static_cast<std::size_t>(column.column)] = true;
      } else {
        throw_input_error(text(file, ": the name ", quoted(column.name), " does not tell which column is meant"),
                          "two columns have it, here or in the training data", "give each column a name of its own");
      }
    }
    if (!missing.empty()) throw_missing(missing, names, file);
    if (const auto found = where.find(encoding.label); encoding.label_column > 0 && found != where.end()) {
      if (found->second.size() == 1) match.label_column = found->second[0];
    }
  }
  for (const int column : match.column) used[static_cast<std::size_t>(column)] = true;
  if (match.label_column != 0) used[static_cast<std::size_t>(match.label_column)] = true;
  for (int j = 1; j <= columns; ++j) {
    if (!used[static_cast<std::size_t>(j)]) match.surplus.push_back(j);
  }
  return match;
}

}  // namespace krossfold::tables
