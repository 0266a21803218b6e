// SPDX-License-Identifier: BSD-3-Clause
// Implements warn_of_words of table_warnings.hpp.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "column_names.hpp"
#include "dialect/decimal_mark.hpp"
#include "drop_advice.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/tables/table_fields.hpp"
#include "table_warnings.hpp"
#include "table_words.hpp"

namespace krossfold::tables {
namespace {

/// True for a number that is not whole.
bool has_fraction(const std::string& number) {
  const auto point = number.find('.');
  return point != std::string::npos && number.find_first_of("123456789", point) != std::string::npos;
}

/// Two of some words that differ in the case of their letters alone (of ASCII); empty if there are none.
std::pair<std::string, std::string> differ_in_case(const std::vector<std::string>& words) {
  std::unordered_map<std::string, std::string> seen;
  for (const std::string& word : words) {
    const auto [found, is_new] = seen.emplace(in_lower_case(word), word);
    if (!is_new) return {found->second, word};
  }
  return {};
}

/// True for digits and two or more points: more often an address or a version than a number with separators.
bool is_of_points(const std::string& word) {
  return std::count(word.begin(), word.end(), '.') > 1 && word.find_first_not_of("0123456789.") == std::string::npos;
}

void warn_of_case(Table& table, const std::string& what, const std::vector<std::string>& words) {
  const auto [one, other] = differ_in_case(words);
  if (!one.empty() || !other.empty())
    table.warning.push_back(text(what, " holds both ", quoted(one), " and ", quoted(other),
                                 ", which are kept apart (if they are the same, spell "
                                 "them alike)"));
}

/// Warns of a column whose words people read as numbers, all but a tenth of more than ten, and so each as a category; false if it is none.
bool warn_of_marked_numbers(Table& table, std::size_t j) {
  constexpr std::size_t few = 10;
  const std::vector<std::string>& words = table.words[j].word;
  if (words.size() <= few) return false;
  std::size_t others = 0;
  std::string example, reason;
  for (const std::string& word : words) {
    const std::string why = is_of_points(word) ? "" : why_no_number(word);
    if (why.empty() && !is_number(word) && 10 * ++others > words.size()) return false;
    if (why.empty() || !example.empty()) continue;
    example = word;
    reason = why;
  }
  if (example.empty()) return false;
  table.warning.push_back(
      text(column_text(table.column[j].column, table.column[j].name), " has ", words.size(),
           " distinct words that look like numbers, such as ", quoted(example), " (", reason,
           "), each of which becomes a category: write plain numbers, or leave the column out with --drop ",
           unambiguous(table, table.column[j])));
  return true;
}

/// Warns of a column that holds dates, but for a tenth of its words; false if it does not.
bool warn_of_dates(Table& table, std::size_t j) {
  const std::vector<std::string>& words = table.words[j].word;
  const auto dates = static_cast<std::size_t>(std::count_if(words.begin(), words.end(), is_date));
  if (dates < 2 || 10 * (words.size() - dates) > words.size()) return false;
  table.warning.push_back(text(column_text(table.column[j].column, table.column[j].name), " holds dates, such as ",
                               quoted(*std::find_if(words.begin(), words.end(), is_date)), ", each of the ",
                               words.size(), " of which becomes a category, whose order is lost", leave_out(table, {j}),
                               ", or write numbers, such as days since the first"));
  return true;
}

/// Warns of a column of many words of its own, or of one that is called an identifier.
void warn_of_identifier(Table& table, std::size_t j, bool many) {
  constexpr std::size_t few = 2;
  const std::size_t words = table.words[j].word.size(), samples = static_cast<std::size_t>(table.size());
  const bool named = is_identifier(table.column[j].name) && words > few;
  if (!many && !named) return;
  const bool shared = is_shared_by_few(words, samples) && table.group.code.empty();
  table.warning.push_back(text(column_text(table.column[j].column, table.column[j].name), " has ", words,
                               " distinct words in ", samples, " samples, each of which becomes a feature",
                               leave_out(table, {j}), " if it is an identifier",
                               shared ? share_advice(unambiguous(table, table.column[j])) : ""));
}

}  // namespace

void warn_of_words(Table& table) {
  constexpr std::size_t many = 50;
  constexpr std::size_t no_chance = 10;
  const auto samples = static_cast<std::size_t>(table.size());
  const auto own = [&](std::size_t distinct) { return distinct > many && 2 * distinct > samples; };
  const std::vector<std::string>& labels = table.label.word;
  const std::string label = label_text(table);
  constexpr std::size_t few = 12;  // of a small table, where most numbers have one sample
  const bool numbers = !labels.empty() && std::all_of(labels.begin(), labels.end(), is_number);
  const bool fractions = std::any_of(labels.begin(), labels.end(), has_fraction);
  if (numbers && (labels.size() > many || (labels.size() > few && 2 * labels.size() > samples && !fractions))) {
    table.warning.push_back(
        text("the label, ", label, ", has ", labels.size(),
             " distinct numbers, each of which becomes a class (a regression? this program classifies)"));
  } else if (labels.size() > 2 && numbers && fractions) {
    table.warning.push_back(
        text("the label, ", label, ", has ", labels.size(),
             " distinct numbers with fractions, each of which becomes a class (is another column the "
             "label? name it with --label; or a regression? this program classifies)"));
  } else if (labels.size() > 1 && std::all_of(labels.begin(), labels.end(), is_date)) {
    table.warning.push_back(
        text("the label, ", label,
             ", holds dates, each of which becomes a class (is another column the label? name it with --label)"));
  } else if (own(labels.size()) || (labels.size() > 5 && labels.size() == static_cast<std::size_t>(table.size()))) {
    table.warning.push_back(text("the label, ", label, ", has ", labels.size(), " classes in ", table.size(),
                                 " samples (is it an identifier?)"));
  }
  if (labels.size() <= many) warn_of_case(table, text("the label, ", label, ","), labels);
  for (std::size_t j = 0; j < table.column.size(); ++j) {
    const std::size_t words = table.words[j].word.size();
    if (words > 0 && words <= many)
      warn_of_case(table, column_text(table.column[j].column, table.column[j].name), table.words[j].word);
    if (words == 0 || is_unnamed_index(table, j)) continue;  // warned of already
    if (warn_of_marked_numbers(table, j) || warn_of_dates(table, j)) continue;
    // Numbers that stand beside a few words, of which there is a warning already, are no identifier.
    const std::vector<std::string>& word = table.words[j].word;
    const bool measured = 2 * static_cast<std::size_t>(std::count_if(word.begin(), word.end(), has_fraction)) > words;
    warn_of_identifier(table, j, !measured && (own(words) || (words == samples && words >= no_chance)));
  }
}

}  // namespace krossfold::tables
