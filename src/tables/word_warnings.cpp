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

constexpr std::size_t many = 50;  ///< words of a column

/// Whether so many distinct words are many, and most of them those of one sample alone.
bool are_own(std::size_t words, std::size_t samples) { return words > many && 2 * words > samples; }

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

/// Columns of one kind, with what to say of them.
class Columns {
public:
  explicit Columns(const Table& table) : table_(table) {}

  bool none() const { return column_.empty(); }
  bool several() const { return column_.size() > 1; }
  void add(std::size_t j) { column_.push_back(j); }
  std::size_t first() const { return column_[0]; }
  const std::vector<std::size_t>& all() const { return column_; }
  const char* say(const char* of_one, const char* of_several) const { return several() ? of_several : of_one; }

  /// "column 3 (city)", or several of these.
  std::string names() const {
    std::vector<std::string> names;
    for (const std::size_t j : column_) names.push_back(column_text(table_.column[j].column, table_.column[j].name));
    return some_of(names);
  }

private:
  const Table& table_;
  std::vector<std::size_t> column_;
};

std::string case_warning(const std::string& what, const std::pair<std::string, std::string>& words, bool several) {
  return text(what, several ? " hold words that differ in case alone, such as " : " holds both ", quoted(words.first),
              " and ", quoted(words.second), ", which are kept apart (if they are the same, spell them alike)");
}

/// A word that people read as a number, and why it is none.
struct MarkedNumber {
  std::string word, why;
};

/// Such a word of a column of them, all but a tenth of more than ten; none of another column.
MarkedNumber marked_number(const std::vector<std::string>& words) {
  constexpr std::size_t few = 10;
  MarkedNumber found;
  if (words.size() <= few) return found;
  std::size_t others = 0;
  for (const std::string& word : words) {
    const std::string why = is_of_points(word) ? "" : why_no_number(word);
    if (why.empty() && !is_number(word) && 10 * ++others > words.size()) return {};
    if (!why.empty() && found.why.empty()) found = {word, why};
  }
  return found;
}

/// Whether a column holds dates, but for a tenth of its words.
bool holds_dates(const std::vector<std::string>& words) {
  const auto dates = static_cast<std::size_t>(std::count_if(words.begin(), words.end(), is_date));
  return dates >= 2 && 10 * (words.size() - dates) <= words.size();
}

/// Whether a column has so many words, or is called so, that each may be that of one sample.
bool may_identify(const Table& table, std::size_t j) {
  constexpr std::size_t few = 2, no_chance = 10;
  const std::vector<std::string>& word = table.words[j].word;
  const std::size_t words = word.size(), samples = static_cast<std::size_t>(table.size());
  if (is_identifier(table.column[j].name) && words > few) return true;
  // Numbers that stand beside a few words, of which there is a warning already, are no identifier.
  if (2 * static_cast<std::size_t>(std::count_if(word.begin(), word.end(), has_fraction)) > words) return false;
  return are_own(words, samples) || (words == samples && words >= no_chance);
}

/// The columns of words by what they look like, each once.
void warn_of_text_columns(Table& table) {
  Columns marked(table), dated(table), named(table), cased(table);
  for (std::size_t j = 0; j < table.column.size(); ++j) {
    const std::vector<std::string>& words = table.words[j].word;
    if (words.empty()) continue;
    if (words.size() <= many && !differ_in_case(words).second.empty()) cased.add(j);
    if (is_unnamed_index(table, j)) continue;  // warned of already
    if (!marked_number(words).word.empty()) {
      marked.add(j);
    } else if (holds_dates(words)) {
      dated.add(j);
    } else if (may_identify(table, j)) {
      named.add(j);
    }
  }
  const auto distinct = [&](const Columns& columns) { return table.words[columns.first()].word.size(); };
  std::vector<std::string> found;
  if (!cased.none()) {
    found.push_back(case_warning(cased.names(), differ_in_case(table.words[cased.first()].word), cased.several()));
  }
  if (!marked.none()) {
    const MarkedNumber one = marked_number(table.words[marked.first()].word);
    found.push_back(text(
        marked.names(), marked.say(" has ", " have "), marked.several() ? "" : text(distinct(marked), " distinct "),
        "words that look like numbers, such as ", quoted(one.word), " (", one.why,
        "), each of which becomes a category: write plain numbers, or ", leave_out(table, marked.all())));
  }
  if (!dated.none()) {
    const std::vector<std::string>& words = table.words[dated.first()].word;
    found.push_back(text(dated.names(), dated.say(" holds", " hold"), " dates or times, such as ",
                         quoted(*std::find_if(words.begin(), words.end(), is_date)), ", each of ",
                         dated.several() ? "which" : text("the ", words.size(), " of which"),
                         " becomes a category, whose order is lost: ", leave_out(table, dated.all()),
                         ", or write numbers, such as days since the first"));
  }
  if (!named.none()) {
    const auto samples = static_cast<std::size_t>(table.size());
    const auto is_shared = [&](std::size_t j) { return is_shared_by_few(table.words[j].word.size(), samples); };
    const auto shared = std::find_if(named.all().begin(), named.all().end(), is_shared);
    found.push_back(text(
        named.names(),
        named.several() ? " have mostly distinct words or names of identifiers"
                        : text(" has ", distinct(named), " distinct words in ", samples, " samples"),
        ", each of which becomes a feature: ", leave_out(table, named.all()),
        named.say(" if it is an identifier", " if they are identifiers"),
        shared != named.all().end() && table.group.code.empty() ? share_advice(table, table.column[*shared]) : ""));
  }
  table.warning.insert(table.warning.end(), found.begin(), found.end());
}

}  // namespace

void warn_of_words(Table& table) {
  const auto samples = static_cast<std::size_t>(table.size());
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
  } else if (are_own(labels.size(), samples) ||
             (labels.size() > 5 && labels.size() == static_cast<std::size_t>(table.size()))) {
    table.warning.push_back(text("the label, ", label, ", has ", labels.size(), " classes in ", table.size(),
                                 " samples (is it an identifier?)"));
  }
  if (labels.size() <= many) {
    const auto spellings = differ_in_case(labels);
    if (!spellings.second.empty())
      table.warning.push_back(case_warning(text("the label, ", label, ","), spellings, false));
  }
  warn_of_text_columns(table);
}

}  // namespace krossfold::tables
