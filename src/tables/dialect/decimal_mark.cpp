// SPDX-License-Identifier: BSD-3-Clause
#include "decimal_mark.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/text_lines.hpp"
#include "krossfold/tables/table_fields.hpp"
#include "tables/table_words.hpp"

namespace krossfold::tables {
namespace {

void count(MarkedNumbers& marked, const std::string& field, char mark) {
  if (!may_have_thousands(field, mark)) {
    ++marked.decimal;
  } else if (marked.either++ == 0) {
    marked.example = field;
  }
}

DecimalMarks marks_of(const std::vector<std::vector<std::string>>& line, std::size_t column, std::size_t names) {
  DecimalMarks marks;
  std::size_t width = 0;
  bool alike = true;
  for (std::size_t i = std::min(names, line.size() - 1); i < line.size(); ++i) {
    const std::string& field = line[i][column];
    if (is_missing(field)) continue;
    if (width == 0) width = field.size();
    alike = alike && field.size() == width && is_whole(field);
    if (field[0] == '0' && marks.padded.empty()) marks.padded = field;
    const std::size_t sign = field.find_first_of("+-") == 0 ? 1 : 0;
    if (has_decimal_comma(field)) {
      count(marks.comma, field, ',');
    } else if (is_number(field) && field.find('.') != std::string::npos) {
      count(marks.point, field, '.');
    } else {
      const bool number = is_number(with_point(field));  // "2," and "3,e5", too
      ++(!number ? marks.words : field.size() <= sign + 3 ? marks.small : marks.large);
    }
  }
  constexpr std::size_t shortest = 3;  // 07 may be an hour or a month
  if (!alike || width < shortest) marks.padded.clear();
  return marks;
}

bool holds_numbers(int role) { return role >= 0 || role == ColumnRoles::weight; }

bool reads_as_number(std::string_view field) {
  return is_number_of_any_mark(field) || may_have_thousands(field, '.') || may_have_thousands(field, ',');
}

/// "1.234,5", "1,234,567.25", "1.234.567".
bool separates_thousands(std::string_view field) {
  const std::size_t mark = field.find_first_of(".,"), last = field.find_last_of(".,");
  if (mark == last) return false;  // one mark: it may be that of decimals
  const char separator = field[mark];
  if (field[last] == separator) return may_have_thousands(field, separator);
  return may_have_thousands(field.substr(0, last), separator) &&
         field.find_first_not_of("0123456789", last + 1) == std::string_view::npos;
}

/// "1 234.5": one to three digits, and groups of three behind this separator, all alike.
bool is_grouped_by(std::string_view field, std::string_view separator) {
  constexpr char stand_in = '\x01';
  const std::size_t end = std::min(field.find_first_of(".,"), field.size());
  std::string whole;
  for (std::size_t i = 0; i < end;) {
    const bool here = field.substr(i, end - i).starts_with(separator);
    whole += here ? stand_in : field[i];
    i += here ? separator.size() : 1;
  }
  return may_have_thousands(whole, stand_in) &&
         (end == field.size() || field.find_first_not_of("0123456789", end + 1) == std::string_view::npos);
}

bool has_separators(std::string_view field) {
  using namespace std::string_view_literals;
  constexpr std::array separators{" "sv, "'"sv, "\xC2\xA0"sv, "\xE2\x80\xAF"sv, "\xE2\x80\x89"sv, "\xE2\x80\x99"sv};
  return separates_thousands(field) || std::any_of(separators.begin(), separators.end(),
                                                   [&](std::string_view one) { return is_grouped_by(field, one); });
}

/// "12.5 %", "-$3", but not "55° 39".
bool has_unit(std::string_view field) {
  using namespace std::string_view_literals;
  if (field.starts_with('-') || field.starts_with('+')) field.remove_prefix(1);
  for (const std::string_view unit : {"%"sv, "$"sv, "\xE2\x82\xAC"sv, "\xC2\xA3"sv, "\xC2\xB0"sv}) {
    std::string_view rest = field;
    if (rest.starts_with(unit)) {
      rest.remove_prefix(unit.size());
    } else if (rest.ends_with(unit)) {
      rest.remove_suffix(unit.size());
    } else {
      continue;
    }
    rest = data::trimmed(rest);
    if (reads_as_number(rest) || has_separators(rest)) return true;
  }
  return false;
}

}  // namespace

std::string why_no_number(std::string_view field) {
  constexpr std::size_t longest = 64;  // of what anybody would read as a number
  if (field.size() > longest) return "";
  if (has_separators(field)) return "it has separators of thousands";
  if (field.starts_with("\xE2\x88\x92") && reads_as_number(field.substr(3))) return "its minus sign is U+2212";
  return has_unit(field) ? "it has a unit" : "";
}

std::vector<DecimalMarks> find_marks(const std::vector<std::vector<std::string>>& line, int names) {
  std::vector<DecimalMarks> marks;
  const auto above = static_cast<std::size_t>(std::max(1, names));
  for (std::size_t j = 0; !line.empty() && j < line[0].size(); ++j) marks.push_back(marks_of(line, j, above));
  return marks;
}

char find_decimal(const std::vector<DecimalMarks>& column, const ColumnRoles& roles, char delimiter) {
  if (delimiter == ',') return '.';
  bool commas = false;
  for (std::size_t j = 0; j < roles.of.size(); ++j) {
    if (!holds_numbers(roles.of[j]) || column[j].words > 0) continue;
    if (column[j].point.decimal > 0) return '.';
    commas = commas || column[j].comma.decimal > 0;
  }
  return commas ? ',' : '.';
}

void warn_of_marks(const std::vector<DecimalMarks>& column, const ColumnRoles& roles, char delimiter, char decimal,
                   bool chosen, std::vector<std::string>& warning) {
  if (chosen && decimal == '.') return;
  const auto proves = [&](std::size_t j) {
    return holds_numbers(roles.of[j]) && column[j].words == 0 && column[j].comma.decimal > 0;
  };
  for (std::size_t j = 0; chosen && j < roles.of.size(); ++j) {
    if (proves(j)) return;
  }
  bool alone = delimiter == ';' && decimal == '.';
  for (std::size_t j = 0; j < roles.of.size(); ++j) {
    alone = alone && (!holds_numbers(roles.of[j]) || column[j].point.decimal == 0);
  }
  const char* const word = decimal == ',' ? "comma" : "point";
  for (std::size_t j = 0; j < roles.of.size(); ++j) {
    const int role = roles.of[j];
    const DecimalMarks& marks = column[j];
    const MarkedNumbers& marked = decimal == ',' ? marks.comma : marks.point;
    const MarkedNumbers& unused = decimal == ',' ? marks.point : marks.comma;
    if (!holds_numbers(role) || marked.either < 3 || marked.decimal + unused.decimal + unused.either > 0) continue;
    if (marks.large + marks.words > 0 || (marks.small == 0 && (chosen || !alone))) continue;
    const std::string& name = role >= 0 ? roles.feature[static_cast<std::size_t>(role)].name : roles.weight_name;
    warning.push_back(text(column_text(static_cast<int>(j) + 1, name), ": the ", word, " in ", quoted(marked.example),
                           " and in others was read as a decimal ", word,
                           chosen ? ", as --decimal says, but seems to" : ", but may",
                           " separate thousands (if so, write numbers without it",
                           chosen ? "" : text("; if not, say --decimal ", word), ")"));
  }
}

void warn_of_leading_zeros(const std::vector<DecimalMarks>& column, const ColumnRoles& roles,
                           std::vector<std::string>& warning) {
  for (std::size_t j = 0; j < roles.of.size(); ++j) {
    const int role = roles.of[j];
    if (role < 0 || column[j].padded.empty() || roles.feature[static_cast<std::size_t>(role)].text) continue;
    warning.push_back(text(column_text(static_cast<int>(j) + 1, roles.feature[static_cast<std::size_t>(role)].name),
                           ": numbers such as ", quoted(column[j].padded),
                           " begin with zeros, those in the first lines have ", column[j].padded.size(),
                           " digits each, like codes, and are used as numbers (if they are ",
                           "codes, leave the column out, or write a letter before each and say --categorical onehot)"));
  }
}

void use_points(std::vector<std::vector<std::string>>& line) {
  for (auto& fields : line) {
    for (std::string& field : fields) {
      if (has_decimal_comma(field)) field = with_point(field);
    }
  }
}

void check_mark(const std::string& where, std::string_view field, char decimal, const DecimalMarks& column) {
  const auto refuse = [&](const char* what, const char* why, const char* hint) {
    throw_input_error(text(where, ": ", quoted(field), what), why, hint);
  };
  if (const std::string why = why_no_number(field); !why.empty()) {
    refuse(" is not a number", why.c_str(), "write it without, or leave the column out with --drop");
  }
  if (decimal == '.' && has_decimal_comma(field)) {
    if (may_have_thousands(field, ',')) {
      const bool decimals = column.comma.decimal > 0;
      refuse(
          " has a comma",
          decimals ? "it may stand before decimals or separate thousands"
                   : "it may separate thousands or stand before decimals",
          decimals
              ? "say --decimal comma, or write numbers without separators of thousands"
              : "write numbers without separators of thousands, or say --decimal comma if it stands before decimals");
    }
    refuse(" has a decimal comma", "decimals are marked by points",
           "say --decimal comma if all decimals have it, or write numbers with a decimal point");
  }
  if (decimal == ',' && field.find('.') != std::string_view::npos && is_number(field)) {
    const bool thousands = may_have_thousands(field, '.');
    refuse(thousands ? " has a point" : " has a decimal point", "decimals are marked by commas",
           thousands ? "write numbers without separators of thousands"
                     : "write all decimals with the same mark; --decimal says which");
  }
}

}  // namespace krossfold::tables
