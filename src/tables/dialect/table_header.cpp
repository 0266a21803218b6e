// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "krossfold/core/text.hpp"
#include "krossfold/tables/table_fields.hpp"
#include "number_header.hpp"
#include "row_names.hpp"
#include "table_dialect.hpp"
#include "tables/column_names.hpp"
#include "tables/table_words.hpp"

namespace krossfold::tables {
namespace {

using Lines = std::vector<std::vector<std::string>>;

/// What stands below the first line in one column.
struct Below {
  int numbers = 0, words = 0;
  int dates = 0;  ///< of the words
  bool fractions = false, repeats = false;
  int missing = 0, singles = 0;  ///< fields that are missing, and those that occur only once
  bool first_again = false;      ///< the first line's field occurs again

  bool mostly_numbers() const { return numbers > 0 && numbers >= words; }
  bool mostly_dates() const { return dates > 0 && 10 * dates >= 9 * (words + numbers); }
  bool mostly_repeated() const { return 10 * singles < numbers + words; }
};

Below below(const Lines& line, std::size_t column) {
  Below found;
  std::unordered_map<std::string, int> seen;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const std::string& field = line[i][column];
    if (field == line[0][column]) found.first_again = true;
    if (is_missing(field)) {
      ++found.missing;
      continue;
    }
    if (is_number(field)) {
      ++found.numbers;
      if (field.find_first_of(".eE") != std::string::npos) found.fractions = true;
    } else {
      ++found.words;
      if (is_date(field)) ++found.dates;
    }
    if (++seen[field] > 1) found.repeats = true;
  }
  for (const auto& [field, count] : seen) found.singles += count == 1 ? 1 : 0;
  return found;
}

bool is_word(const std::string& field) { return !is_missing(field) && !is_number(field); }

/// Whether a field may be the name of a column of dates: one of letters, not 0000-00-00, "-" or \N.
bool may_name_dates(const std::string& field) {
  const auto is_of_words = [](char one) { return is_letter(one) || static_cast<unsigned char>(one) >= 0x80; };
  return !is_date(field) && field.find('\\') == std::string::npos &&
         std::any_of(field.begin(), field.end(), is_of_words);
}

/// Whether the numbers of a line ascend.
bool ascend(const std::vector<std::string>& line) {
  double last = -std::numeric_limits<double>::infinity();
  for (const std::string& field : line) {
    double number = 0;
    if (!is_number(field)) continue;
    std::from_chars(field.data(), field.data() + field.size(), number);
    if (!(number > last)) return false;
    last = number;
  }
  return true;
}

constexpr int most_by_chance = 8;  // numbers of a sample that counts

/// The fields of a line that count 0, 1, 2, ...: how many, and whether they are all of it but an empty first field and a
/// last word.
struct Count {
  int numbers = 0;
  bool whole_line = false, word_last = false, index_first = false;
};

Count count_in(const std::vector<std::string>& first) {
  Count count;
  std::size_t j = 0;
  if (!first.empty() && first[0].empty()) {
    count.index_first = true;
    ++j;
  }
  while (j < first.size() && first[j] == std::to_string(count.numbers)) {
    ++count.numbers;
    ++j;
  }
  count.word_last = j + 1 == first.size() && is_word(first[j]);
  count.whole_line = j + (count.word_last ? 1 : 0) == first.size();
  return count;
}

/// Whether parameters name columns, which only a header does.
bool any_name_needed(const TableParams& params) {
  return must_be_name(params.label) || must_be_name(params.group) || must_be_name(params.weight) ||
         std::any_of(params.drop.begin(), params.drop.end(), must_be_name);
}

/// True if the line counts 0, 1, 2, ... in so few fields that a sample may do so by chance.
bool counts_alone(const std::vector<std::string>& first) {
  const Count count = count_in(first);
  return count.whole_line && !count.word_last && !count.index_first && count.numbers < most_by_chance;
}

/// True if the first line counts and is taken for a header; warns where that is doubtful.
bool counts_as_header(const std::vector<std::string>& first, const std::vector<Below>& column, const std::string& where,
                      std::vector<std::string>& warning) {
  const Count count = count_in(first);
  if (!count.whole_line || count.numbers == 0 || first.size() < 2) return false;
  if (count.word_last && column.back().first_again) return false;  // a sample of that class
  const bool fractions = std::any_of(column.begin(), column.end(), [](const Below& one) { return one.fractions; });
  const bool no_words = std::all_of(column.begin(), column.end(), [](const Below& one) { return one.words == 0; });
  const bool header = count.word_last || count.index_first || first.size() > 2 || fractions;
  if (!fractions && no_words && !count.word_last && !count.index_first && count.numbers < most_by_chance) {
    warning.push_back(text(
        where, ", which counts from 0, was taken for ",
        header ? "a header (if it is a sample, say --header no)" : "a sample (if it is a header, say --header yes)"));
  } else if (count.word_last && column.back().words != 0 && first.size() < 5) {
    warning.push_back(
        text(where, ", which counts from 0, was taken for a header (if it is a sample, say --header no)"));
  }
  return header;
}

/// Whether the fields of a line, those before `from` excepted, are words that differ, of which at most so many occur below.
bool holds_new_words(const std::vector<std::string>& first, const std::vector<Below>& column, std::size_t from,
                     int again) {
  std::unordered_set<std::string> words;
  for (std::size_t j = from; j < first.size(); ++j) {
    if (!is_word(first[j]) || !words.insert(first[j]).second) return false;
    if (column[j].first_again && --again < 0) return false;
  }
  return first.size() > from;
}

/// Whether the first line is R's above the names of rows: its first field is empty above what may be these, and new words follow.
bool heads_row_names(const Lines& line, const std::vector<Below>& column) {
  if (!line[0][0].empty() || column[0].missing != 0 || !holds_new_words(line[0], column, 1, 0)) return false;
  std::vector<std::string> names;
  for (std::size_t i = 1; i < line.size(); ++i) names.push_back(line[i][0]);
  return why_no_row_names(names).empty();
}

/// Whether a word of the first line comes again in its column.
bool any_again(const std::vector<Below>& column) {
  return std::any_of(column.begin(), column.end(), [](const Below& one) { return one.first_again; });
}

/// The words of a column below the first line as numbers.
std::vector<std::uint32_t> codes_below(const Lines& line, std::size_t column) {
  std::unordered_map<std::string_view, std::uint32_t> known;
  std::vector<std::uint32_t> code;
  for (std::size_t i = 1; i < line.size(); ++i) {
    code.push_back(known.emplace(line[i][column], static_cast<std::uint32_t>(known.size())).first->second);
  }
  return code;
}

/// Whether each word of one column always stands beside the same word of the other.
bool determines(const std::vector<std::uint32_t>& one, const std::vector<std::uint32_t>& other) {
  std::unordered_map<std::uint32_t, std::uint32_t> beside;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (beside.emplace(one[i], other[i]).first->second != other[i]) return false;
  }
  return true;
}

/// The chance that a sample which stands in the first line by chance has such words. If any order of n + 1 samples is as likely as
/// another, and s words of a column below occur once, the first word occurs nowhere below with the chance (s + 1) / (n + 1). The
/// chances of columns are multiplied, as if these were independent; a column whose words all differ, such as an id, says nothing.
/// One name may also be a word of its column (`premie` above `premie` and `full term`): any column may be that one, each as likely. A
/// sample may look so, too, so that there columns that determine one another (a country and its code) count once.
double chance_of_new_words(const Lines& line, const std::vector<Below>& column) {
  constexpr std::size_t compared = 16;  // columns, so that a wide table takes no longer
  if (!holds_new_words(line[0], column, 0, 1)) return 1;
  const bool again = any_again(column);
  double chance = again ? static_cast<double>(column.size()) : 1;
  std::vector<std::vector<std::uint32_t>> counted;
  for (std::size_t j = 0; j < column.size() && counted.size() < compared; ++j) {
    if (column[j].first_again || !column[j].repeats) continue;
    if (again) {
      std::vector<std::uint32_t> code = codes_below(line, j);
      const auto tied = [&](const auto& other) { return determines(code, other) || determines(other, code); };
      if (std::any_of(counted.begin(), counted.end(), tied)) continue;
      counted.push_back(std::move(code));
    }
    chance *= (column[j].singles + 1.0) / (column[j].numbers + column[j].words + 1.0);
  }
  return chance;
}

/// Why a line of words above words is practically certain to hold names; empty if it is not.
std::string why_names(const Lines& line, const std::vector<Below>& column) {
  constexpr std::size_t enough = 10;  // in a shorter file, an empty field may be a missing one by chance
  constexpr double by_chance = 1e-4;
  if (line.size() > enough && heads_row_names(line, column))
    return "its first field is empty above fields that all differ, as R writes the names of rows";
  if (chance_of_new_words(line, column) < by_chance) {
    return text("none of its words ", any_again(column) ? "but one " : "", "comes again, although those below do");
  }
  return "";
}

/// Whether a line holds at least half of the names that a model knows, and as words: numbers may be those of a sample. It is a header
/// then, and what it lacks is to be missed by name.
bool holds_most_names(const std::vector<std::string>& names, const TableEncoding& encoding) {
  if (!encoding.named) return false;
  const std::unordered_set<std::string_view> given(names.begin(), names.end());
  const auto held = std::count_if(encoding.column.begin(), encoding.column.end(), [&](const FeatureColumn& column) {
    return is_word(column.name) && given.count(column.name) != 0;
  });
  return held > 0 && 2 * static_cast<std::size_t>(held) >= encoding.column.size();
}

}  // namespace

bool holds_all_names(const std::vector<std::string>& names, const TableEncoding& encoding) {
  if (!encoding.named) return false;
  const std::unordered_set<std::string_view> given(names.begin(), names.end());
  return std::all_of(encoding.column.begin(), encoding.column.end(),
                     [&](const FeatureColumn& column) { return given.count(column.name) != 0; });
}

bool find_header(const Lines& line, const std::string& file, const TableParams& params, const TableEncoding* encoding,
                 std::vector<std::string>& warning) {
  if (params.header != "find") return params.header != "no";
  const std::vector<std::string>& first = line[0];
  if (encoding == nullptr && any_name_needed(params)) return true;
  if (encoding != nullptr && (holds_all_names(first, *encoding) || holds_most_names(first, *encoding))) return true;
  // Of data for a model, groups and weights are not needed, but the label that was named is.
  if (must_be_name(params.label) && std::find(first.begin(), first.end(), params.label) != first.end()) return true;
  const bool unnamed_model = encoding != nullptr && !encoding->named;
  if (line.size() == 1) {
    // Nothing to compare it with: words alone are names, unless a model without names learnt from words alone.
    const bool text_alone = unnamed_model && std::all_of(encoding->column.begin(), encoding->column.end(),
                                                         [](const FeatureColumn& one) { return one.text; });
    if (text_alone) return false;
    return std::none_of(first.begin(), first.end(), is_number) && std::any_of(first.begin(), first.end(), is_word);
  }

  std::vector<Below> column;
  for (std::size_t j = 0; j < first.size(); ++j) column.push_back(below(line, j));
  int names = 0, above_dates = 0, new_words = 0, dates = 0, numbers = 0;
  for (std::size_t j = 0; j < first.size(); ++j) {
    if (is_word(first[j]) && !column[j].first_again) {
      if (column[j].repeats || column[j].mostly_dates()) ++new_words;
      if (column[j].mostly_numbers()) ++names;
      if (column[j].mostly_dates() && may_name_dates(first[j]) && !unnamed_model) ++above_dates;
    }
    if (is_number(first[j])) ++numbers;
    if (is_date(first[j])) ++dates;
  }
  if (unnamed_model && first.size() > 1 && counts_alone(first)) {
    const bool fractions = std::any_of(column.begin(), column.end(), [](const Below& one) { return one.fractions; });
    const bool words = std::any_of(column.begin(), column.end(), [](const Below& one) { return one.words != 0; });
    const bool header = fractions || (words && first.size() > 2);
    // --header would hold for the training data of --test, too, which have no names.
    warning.push_back(
        text(file, ", which counts from 0, was taken for ",
             header ? "the names of columns, though the model knows none (if it is a sample, say --header no)"
                    : "a sample, because the model knows no names (if it holds names, remove it)"));
    return header;
  }
  if (counts_as_header(first, column, file, warning)) return true;
  if (names > 0) {
    if (numbers > 0) {
      warning.push_back(text(file,
                             ", which has words above numbers but also numbers, was taken for a header (if it is a "
                             "sample, say --header no)"));
    }
    return true;
  }

  if (above_dates > 0 && dates == 0) {
    const bool header = numbers == 0 || (numbers > 1 && new_words > above_dates && ascend(first));
    warning.push_back(text(file, ", which has words above dates, was taken for a ",
                           header ? "header (if it is a sample, say --header no)"
                                  : "sample, as it has numbers, too (if it is a header, say --header yes)"));
    return header;
  }

  // A model knows its names, which were looked for above, or that there are none.
  if (const std::string why = encoding == nullptr ? why_names(line, column) : ""; !why.empty()) {
    warning.push_back(text(file, " was taken for a header, because ", why, " (if it is a sample, say --header no)"));
    return true;
  }
  if (const std::string why = header_of_numbers(line, 0); !why.empty()) {
    warning.push_back(text(file, " was taken for a sample, but looks like a header, because ", why,
                           " (if it is a header, say --header yes; if it is a sample, --header no)"));
    return false;
  }

  // Kept as a sample. It is doubtful if its words never come again although those below do. In a short file without other
  // signs of a header, that happens by chance.
  constexpr std::size_t enough = 10;
  int words = 0, unlike = 0;
  for (std::size_t j = 0; j < first.size(); ++j) {
    if (!is_word(first[j])) continue;
    if (!column[j].repeats && !column[j].first_again && numbers == 0) continue;  // such as an id, which says nothing
    ++words;
    const bool sure = numbers == 0 || (column[j].mostly_repeated() && line.size() > enough);
    if (!column[j].first_again && column[j].repeats && sure) ++unlike;
  }
  const bool one_again = numbers == 0 && unlike >= 2 && unlike + 1 == words;
  if (words > 0 && (unlike == words || one_again)) {
    warning.push_back(text(file, " was taken for a sample, but its words", one_again ? ", but for one," : "",
                           " do not come again (if it is a header, say --header "
                           "yes; if it is a sample, --header no)"));
  }
  return false;
}

}  // namespace krossfold::tables
