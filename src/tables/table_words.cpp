// SPDX-License-Identifier: BSD-3-Clause
#include "table_words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/text_lines.hpp"

namespace krossfold::tables {
namespace {

std::optional<int> whole_number(const std::string& word) {
  int number = 0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (fault != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

}  // namespace

bool must_be_name(const std::string& word) { return !word.empty() && !whole_number(word); }

bool keeps_missing(const TableParams& params, const TableEncoding* encoding) {
  if (params.missing == "mean" || params.missing == "median" || (params.missing == "refuse" && params.kept))
    return true;
  if (encoding == nullptr) return false;
  const std::vector<FeatureColumn>& all = encoding->column;
  return std::any_of(all.begin(), all.end(), [](const FeatureColumn& one) { return !std::isnan(one.fill); }) ||
         (!params.labelled && std::all_of(all.begin(), all.end(), [](const FeatureColumn& one) { return one.text; }));
}

double parse_weight(std::string_view field) {
  if (field.starts_with('+')) field.remove_prefix(1);
  double weight = 0;
  const auto fault = std::from_chars(field.data(), field.data() + field.size(), weight).ec;
  float ignored = 0;
  if (fault == std::errc::result_out_of_range) {  // too small, which a feature may be, or too large
    const bool small = data::parse_feature(field, ignored) == data::FeatureFault::none;
    return small ? 0 : std::numeric_limits<double>::infinity();
  }
  return weight;
}

bool is_whole(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string in_lower_case(std::string_view word) {
  std::string low(word);
  for (char& letter : low) letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  return low;
}

std::string column_text(int column, const std::string& name) {
  return name.empty() ? text("column ", column) : text("column ", column, " (", name, ")");
}

std::string label_text(const Table& table) {
  return table.label_column < 0 ? table.label_name : column_text(table.label_column, table.label_name);
}

std::string some_of(const std::vector<std::string>& names, std::size_t shown) {
  std::string list;
  for (std::size_t i = 0; i < std::min(shown, names.size()); ++i) list += (i == 0 ? "" : ", ") + names[i];
  return names.size() > shown ? text(list, ", ... (", names.size(), " in all)") : list;
}

WordColumn spelled_alike(WordColumn column, const std::string& file) {
  const data::Labels spelled = data::index_labels(column.word, {}, file, data::OddLabel::no_class);
  std::vector<int> place(spelled.class_name.size(), -1), to(column.word.size(), -1);
  std::vector<std::string> word;
  for (std::size_t k = 0; k < column.word.size(); ++k) {
    const int spelling = spelled.label(k);
    int& at = spelling < 0 ? to[k] : place[static_cast<std::size_t>(spelling)];
    if (at < 0) {
      at = static_cast<int>(word.size());
      word.push_back(spelling < 0 ? column.word[k] : spelled.class_name[static_cast<std::size_t>(spelling)]);
    }
    to[k] = at;
  }
  for (int& code : column.code) code = code < 0 ? code : to[static_cast<std::size_t>(code)];
  column.word = std::move(word);
  return column;
}

int find_column(const std::string& parameter, const std::string& word, const std::vector<std::string>& names,
                bool named, const std::string& file, std::vector<std::string>& warning) {
  const int columns = static_cast<int>(names.size());
  const std::optional<int> number = whole_number(word);
  const int by_number = !number || *number == 0 ? 0 : *number > 0 ? *number : columns + 1 + *number;
  const bool in_range = by_number >= 1 && by_number <= columns;

  if (named) {
    const auto found = std::find(names.begin(), names.end(), word);
    if (found != names.end()) {
      const int column = static_cast<int>(found - names.begin()) + 1;
      if (std::count(names.begin(), names.end(), word) > 1) {
        throw_input_error(text(file, " has more than one column called ", quoted(word)), text(parameter, " names it"),
                          "give its number instead");
      }
      if (in_range && by_number != column) {
        warning.push_back(text(parameter, " ", word, " was taken for the column of that name, which is column ", column,
                               ", not for column ", by_number));
      }
      return column;
    }
  }
  if (in_range) return by_number;
  if (number) {
    throw_input_error(text(file, " has no column ", word),
                      text(parameter, " gives it; there are columns 1 to ", columns),
                      "count columns from 1, or from -1 backwards");
  }
  if (!named) {
    throw_input_error(text(file, " has no column called ", quoted(word)),
                      text(parameter, " names it; the file has no header"),
                      "give the number of the column, or say --header yes if its first line holds names");
  }
  const std::string near = nearest_word(word, names);
  throw_input_error(text(file, " has no column called ", quoted(word)),
                    text(parameter, " names it; there are ", some_of(names)),
                    near.empty() ? "" : text("Did you mean ", near, "?"));
}

}  // namespace krossfold::tables
