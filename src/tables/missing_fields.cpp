// SPDX-License-Identifier: BSD-3-Clause
#include "missing_fields.hpp"

#include <algorithm>
#include <array>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "table_words.hpp"

namespace krossfold::tables {
namespace {

std::string lines_text(const std::vector<int>& line, std::size_t most) {
  std::string all = line.size() == 1 ? "line " : "lines ";
  for (std::size_t k = 0; k < std::min(most, line.size()); ++k) all += (k == 0 ? "" : ", ") + std::to_string(line[k]);
  return line.size() > most ? all + ", ..." : all;
}

/// What to do with a word that counts as missing and means something in a column of that role.
std::string rename(int role) {
  const char* what = role == ColumnRoles::label ? "class" : role == ColumnRoles::group ? "group" : "value";
  return text("give it another name if it is a ", what);
}

}  // namespace

const char* name_of_role(int role) {
  return role == ColumnRoles::label    ? "label"
         : role == ColumnRoles::group  ? "group"
         : role == ColumnRoles::weight ? "weight"
                                       : "value";
}

bool may_be_category(std::string_view word) { return word == "None" || word == "NULL" || word == "null"; }

bool may_be_category(int role, std::string_view word) {
  return (role == ColumnRoles::label || role == ColumnRoles::group) && may_be_category(word);
}

std::string advice_on_missing(int role, std::string_view field) {
  if (may_be_category(role, field)) {
    return text(rename(role),
                "; if it is a gap, empty the field, or leave out all samples that lack a value "
                "with --missing drop");
  }
  const bool may_be_name = !field.empty() && role != ColumnRoles::weight && (role < 0 || may_be_category(field));
  const std::string hint = may_be_name ? "; " + rename(role) : "";
  if (role >= 0) {
    return text("fill it in, or say what missing values become with --missing mean, median or drop", hint);
  }
  return text("remove such samples, or have them left out: --missing mean or median leaves out those without a ",
              name_of_role(role), " and fills in features, --missing drop leaves out all that lack a value", hint);
}

std::string advice_on_code(std::string_view word) {
  constexpr std::array<std::string_view, 17> codes{".",   "..",  "-",     "--",      "---",    "*",
                                                   "**",  "\\n", "na",    "n.a.",    "n.d.",   "(null)",
                                                   "nat", "nil", "blank", "missing", "unknown"};
  if (std::find(codes.begin(), codes.end(), in_lower_case(word)) == codes.end()) return "";
  return text("; if ", quoted(word), " stands for a missing value, empty such fields or write NA there");
}

void MissingFields::report(Table& table, int dropped, const std::vector<FeatureColumn>& feature,
                           const MissingRules& rules) const {
  if (!rules.label_named) check_label(table, dropped);
  report_left_out(table, rules);
  report_words(table, feature);
  if (dropped == 0) return;
  const bool all_unlabelled = table.line.empty() && rules.known && without_label() == dropped;
  const std::string lack = text(dropped == 1 ? "lacks a " : "lack a ", all_unlabelled ? "label"
                                                                       : rules.drop   ? "value"
                                                                                      : lacking());
  if (table.line.empty()) {
    throw_input_error(text(table.name, rules.drop ? " holds no complete samples" : " holds no samples to use"),
                      text(dropped, " ", lack),
                      all_unlabelled ? "give the samples of a test file labels; krossfold predict takes samples without"
                      : rules.drop ? "leave out columns that lack many with --drop, or fill features in with --missing "
                                     "mean or median"
                                   : "choose other columns");
  }
  table.dropped.push_back(text(dropped, dropped == 1 ? " sample that " : " samples that ", lack));
  if (!rules.known || !rules.drop) return;  // said beside the columns, or with the lines
  table.warning.push_back(text(table.name, ": ", dropped, " of ", dropped + table.size(), " samples ", lack, " and ",
                               dropped == 1 ? "was" : "were", " left out, as --missing drop says"));
}

/// "label", or "label or weight".
std::string MissingFields::lacking() const {
  std::string all;
  for (const int role : {ColumnRoles::label, ColumnRoles::group, ColumnRoles::weight}) {
    const auto has_role = [role](const auto& one) { return one.first.first == role; };
    if (std::any_of(left_out_.begin(), left_out_.end(), has_role)) {
      all += text(all.empty() ? "" : " or ", name_of_role(role));
    }
  }
  return all;
}

int MissingFields::without_label() const {
  int samples = 0;
  for (const auto& [what, one] : left_out_) samples += what.first == ColumnRoles::label ? one.samples : 0;
  return samples;
}

void MissingFields::check_label(const Table& table, int dropped) const {
  const int lacking = without_label(), samples = dropped + table.size();
  if (2 * lacking <= samples) return;
  throw_input_error(text(table.name, ": ", lacking, " of ", samples, " samples lack a label"),
                    text(label_text(table), ", the last column, was taken for the label, as --label names none"),
                    "name the column of the label with --label NAME, this one, too, if it is the label");
}

void MissingFields::report_left_out(Table& table, const MissingRules& rules) const {
  for (const auto& [what, one] : left_out_) {
    const auto& [role, word] = what;
    if (word.empty() && rules.drop) continue;  // as was asked
    const char* name = name_of_role(role);
    const std::string whose = word.empty() ? text(" without a ", name) : text(" whose ", name, " is ", quoted(word));
    std::string why;
    if (!word.empty()) {
      why = ": it counts as missing";
      if (role != ColumnRoles::weight) why += text(" (", rename(role), ")");
    }
    if (role == ColumnRoles::label && !rules.label_named) {
      why += "; the last column was taken for the label, as --label names none";
    }
    table.warning.push_back(text(table.name, ": ", one.samples, one.samples == 1 ? " sample" : " samples", whose,
                                 one.samples == 1 ? " was" : " were", " left out (", lines_text(one.line, most_lines),
                                 ")", why));
  }
}

void MissingFields::report_words(Table& table, const std::vector<FeatureColumn>& feature) const {
  std::vector<std::string> found;
  for (const auto& [role, words] : of_words_) {
    const FeatureColumn& column = feature[static_cast<std::size_t>(role)];
    for (const auto& [word, count] : words) {
      if (!may_be_category(word)) continue;
      std::string others;
      for (const auto& [other, unused] : words) {
        if (other != word) others += (others.empty() ? "" : ", ") + (other.empty() ? "empty fields" : quoted(other));
      }
      found.push_back(text(quoted(word), " in ", column_text(column.column, column.name), ", ", count,
                           count == 1 ? " sample" : " samples", others.empty() ? "" : " beside " + others));
    }
  }
  if (found.empty()) return;
  table.warning.push_back(text(table.name, ": words that may be categories count as missing: ", some_of(found),
                               " (if they are, give them other names)"));
}

}  // namespace krossfold::tables
