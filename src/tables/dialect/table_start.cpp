// SPDX-License-Identifier: BSD-3-Clause
#include "table_start.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/tables/table_fields.hpp"

namespace krossfold::tables {
namespace {

constexpr std::size_t most_above = 100;

bool has_number(const Fields& fields) { return std::any_of(fields.begin(), fields.end(), is_number_of_any_mark); }

bool is_word_of_any_mark(const std::string& field) { return !is_missing(field) && !is_number_of_any_mark(field); }

bool all_words(const Fields& fields) { return std::all_of(fields.begin(), fields.end(), is_word_of_any_mark); }

/// The index of the line with names below a title that spreadsheets fill up with delimiters, or 0.
std::size_t below_title(const std::vector<Fields>& line) {
  const Fields& title = line[0];
  if (title.size() < 2 || title[0].empty() || is_number_of_any_mark(title[0])) return 0;
  if (std::any_of(title.begin() + 1, title.end(), [](const auto& one) { return !one.empty(); })) return 0;
  for (std::size_t i = 1; i + 1 < std::min(line.size(), most_above); ++i) {
    if (line[i].size() == title.size() && has_number(line[i])) return 0;
    if (line[i].size() == title.size() && all_words(line[i])) return has_number(line[i + 1]) ? i : 0;
  }
  return 0;
}

/// The index of the first line from which on all have equally many fields, if none before it has as many and it may begin a table; or 0.
std::size_t begin_of_equal(const std::vector<Fields>& line, char delimiter) {
  constexpr std::size_t least_lines = 3;
  const std::size_t most = line.back().size();
  const auto last_other =
      std::find_if(line.rbegin(), line.rend(), [&](const Fields& one) { return one.size() != most; });
  const auto begin = static_cast<std::size_t>(last_other.base() - line.begin());
  if (most < 2 || begin == 0 || begin > most_above || begin + least_lines > line.size()) return 0;
  const auto above = std::span(line).first(begin), below = std::span(line).subspan(begin);
  if (std::any_of(above.begin(), above.end(), [&](const Fields& one) { return one.size() == most; })) return 0;
  // Lines that are equally long among themselves, or one above numbers, are rather a table or a header with a fault.
  const std::size_t first = above[0].size();
  const bool alike = std::all_of(above.begin(), above.end(), [&](const Fields& one) { return one.size() == first; });
  if (first >= 2 && alike && (begin >= least_lines || (begin == 1 && has_number(line[begin])))) return 0;
  const auto numeric = std::count_if(below.begin(), below.end(), [](const Fields& one) {
    return std::all_of(one.begin() + 1, one.end(), is_number_of_any_mark);
  });
  if (delimiter == ' ' && 2 * numeric < static_cast<std::ptrdiff_t>(below.size())) return 0;  // a text
  return begin;
}

[[noreturn]] void advise(const std::string& file, const SampleLine& first, const std::string& what) {
  throw_input_error(text(file, ", line ", first.number, what), "",
                    text("if the table begins there, say --skip-lines ", first.number - 1));
}

/// The number of fields of a line in which quotes stand around fields, and within them only doubled or, if it `escapes`, behind backslashes;
/// nothing for other lines.
std::optional<std::size_t> well_formed_fields(std::string_view line, char delimiter, bool escapes) {
  const auto is_space = [](char one) { return one == ' ' || one == '\t'; };
  const auto ends_field = [&](char one) { return one == delimiter || (delimiter == ' ' && is_space(one)); };
  std::size_t fields = 0;
  for (std::size_t at = 0; at <= line.size();) {
    while (at < line.size() && is_space(line[at]) && (delimiter == ' ' || line[at] != delimiter)) ++at;
    if (delimiter == ' ' && at == line.size()) break;
    ++fields;
    if (at < line.size() && line[at] == '"') {
      bool open = true;
      for (++at; open && at < line.size(); ++at) {
        if (escapes && line[at] == '\\') {
          ++at;
        } else if (line[at] == '"') {
          open = at + 1 < line.size() && line[at + 1] == '"';
          at += open ? 1 : 0;
        }
      }
      if (open) return std::nullopt;
      while (at < line.size() && is_space(line[at]) && !ends_field(line[at])) ++at;
      if (at < line.size() && !ends_field(line[at])) return std::nullopt;
    } else {
      for (; at < line.size() && !ends_field(line[at]); ++at) {
        if (line[at] == '"') return std::nullopt;
      }
    }
    ++at;
  }
  return fields;
}

}  // namespace

std::vector<Fields> split_lines(const std::vector<SampleLine>& lines, char delimiter, const std::string& file) {
  std::vector<Fields> split(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    try {
      split[i] = fields_of(lines[i].content, delimiter, file, lines[i].number);
    } catch (const Error&) {
      continue;
    }
  }
  return split;
}

bool may_be_names(const Fields& fields) {
  return fields.size() > 1 && std::any_of(fields.begin(), fields.end(), is_word_of_any_mark);
}

bool repeats_names(std::string_view line, const Fields& names, char delimiter) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  constexpr std::size_t around = 8;  // blanks and quotes beside a name
  if (names.empty()) return false;
  if (line.starts_with(mark)) line.remove_prefix(mark.size());
  const std::string &first = names.front(), &last = names.back();
  // Quotes and line ends within a name are written otherwise.
  const auto is_plain = [](const std::string& name) { return name.find_first_of("\"\n") == std::string::npos; };
  const std::string_view begin = line.substr(0, first.size() + around);
  const std::string_view end = line.substr(line.size() - std::min(line.size(), last.size() + around));
  const bool may_begin = first.empty() ? line.starts_with(delimiter) || line.starts_with("\"\"")
                                       : !is_plain(first) || begin.find(first) != std::string_view::npos;
  if (!may_begin || (is_plain(last) && end.find(last) == std::string_view::npos)) return false;
  try {
    return fields_of(line, delimiter, "", 0) == names;
  } catch (const Error&) {
    return false;  // a quote at another place
  }
}

int leave_out_repeated(std::vector<SampleLine>& lines, std::vector<Fields>& split, char delimiter) {
  constexpr std::size_t share = 3;
  const Fields names = split[0];
  if (!may_be_names(names)) return 0;
  std::vector<std::size_t> repeated;
  std::vector<int> numbers(names.size(), 0), words(numbers), again(numbers);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (repeats_names(lines[i].content, names, delimiter)) {
      repeated.push_back(i);
      continue;
    }
    for (std::size_t j = 0; j < std::min(names.size(), split[i].size()); ++j) {
      if (is_missing(split[i][j])) continue;
      ++(is_number_of_any_mark(split[i][j]) ? numbers : words)[j];
      if (split[i][j] == names[j]) again[j] = 1;
    }
  }
  if (repeated.empty()) return 0;
  bool above_numbers = false;
  for (std::size_t j = 0; j < names.size(); ++j) {
    above_numbers =
        above_numbers || (is_word_of_any_mark(names[j]) && again[j] == 0 && numbers[j] > 0 && numbers[j] >= words[j]);
  }
  const bool few = share * repeated.size() <= lines.size() - 1;
  if (!above_numbers && (!few || std::any_of(again.begin(), again.end(), [](int one) { return one != 0; }))) return 0;
  const int number = lines[repeated[0]].number;
  for (auto i = repeated.rbegin(); i != repeated.rend(); ++i) {
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(*i));
    split.erase(split.begin() + static_cast<std::ptrdiff_t>(*i));
  }
  return number;
}

bool has_escaped_quotes(std::string_view line, char delimiter, std::size_t fields) {
  return line.find("\\\"") != std::string_view::npos && !well_formed_fields(line, delimiter, false) &&
         well_formed_fields(line, delimiter, true) == fields;
}

std::string advice_on_escapes(int line) {
  return text("write the quotes within quotes in line ", line, " as \"\" (in R, qmethod = \"double\")");
}

void throw_repeated_names(const std::string& file, int line, int header) {
  throw_input_error(text(file, ", line ", line, " repeats line ", header, ", the header"), "files may have been joined",
                    "remove it; if both are samples, say --header no");
}

void check_start(const std::vector<SampleLine>& lines, const std::vector<Fields>& line, char delimiter, bool given,
                 const std::string& file) {
  const std::size_t first = line[0].size();
  const auto equal = static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [&](const Fields& one) { return one.size() == first; }));
  if (first >= 2 && 2 * equal >= lines.size()) {
    if (const std::size_t names = below_title(line); names != 0) {
      advise(file, lines[names], " has a word in each field, and the first line in its first field alone");
    }
    return;
  }
  std::size_t best = lines.size(), fields = 0;
  for (const char one : {'\t', ';', ',', '|', ' '}) {
    if (given && one != delimiter) continue;
    const std::vector<Fields> other = one == delimiter ? std::vector<Fields>() : split_lines(lines, one, file);
    const std::vector<Fields>& tried = one == delimiter ? line : other;
    const std::size_t begin = begin_of_equal(tried, one);
    if (begin == 0 || begin >= best) continue;
    best = begin;
    fields = tried.back().size();
  }
  if (best != lines.size())
    advise(file, lines[best], text(" and all below have ", fields, " fields, and no line above has"));
}

}  // namespace krossfold::tables
