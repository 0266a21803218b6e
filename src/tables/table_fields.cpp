// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/tables/table_fields.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "krossfold/core/error.hpp"
#include "table_warnings.hpp"

namespace krossfold::tables {
namespace {

constexpr std::array<double, 19> power_of_ten{1.0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                              1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};

constexpr bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// Whether the line ends within a quoted field, which began there or, if `open`, before.
bool ends_in_quotes(std::string_view line, char delimiter, bool open) {
  const auto separates = [&](char letter) { return letter == delimiter || (delimiter == ' ' && letter == '\t'); };
  bool at_start = !open;  // of a field
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (open) {
      if (line[k] != '"') continue;
      if (k + 1 < line.size() && line[k + 1] == '"') {
        ++k;
      } else {
        open = false;
      }
    } else if (separates(line[k])) {
      at_start = true;
    } else if (at_start && line[k] == '"') {
      open = true;
      at_start = false;
    } else if (!data::is_blank(line[k])) {
      at_start = false;
    }
  }
  return open;
}

/// The bytes without the lines at the end that hold nothing but blanks and tabs.
std::span<const std::byte> without_blank_end(std::span<const std::byte> bytes) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto last = all.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) return {};
  return bytes.first(std::min(all.find('\n', last), all.size() - 1) + 1);
}

}  // namespace

TableLines::TableLines(std::span<const std::byte> bytes, const LineRules& rules)
    : lines_(rules.skip_empty ? bytes : without_blank_end(bytes),
             rules.delimiter == '\t' || rules.delimiter == 0 ? " " : " \t"),
      delimiter_(rules.delimiter),
      skip_empty_(rules.skip_empty),
      fields_(rules.fields) {
  data::TextLines ahead = lines_;
  while (ahead.number() < rules.skipped && ahead.next()) {
    if (ahead.number() <= rules.skipped) lines_ = ahead;
  }
}

bool TableLines::next() {
  while (lines_.next()) {
    line_ = lines_.line();
    number_ = lines_.number();
    if (skip_empty_ && line_.find_first_not_of(",;|\t \r") == std::string_view::npos) {
      ++empty_;
      continue;
    }
    if (fields_ != 0 && line_.find_first_not_of(" \t") == std::string_view::npos &&
        fields_ != 1 + std::count(line_.begin(), line_.end(), '\t')) {
      continue;
    }
    if (line_[0] != '#' || begins_with_error(line_)) {
      if (delimiter_ != 0 && line_.find('"') != std::string_view::npos) add_lines_of_quotes();
      return true;
    }
    ++comments_;
    comment_ = line_;
    comment_number_ = number_;
  }
  return false;
}

void TableLines::add_lines_of_quotes() {
  constexpr int most_lines = 1000;
  bool open = ends_in_quotes(line_, delimiter_, false);
  if (!open) return;
  data::TextLines ahead = lines_;
  for (int k = 0; open && k < most_lines && ahead.next(); ++k) open = ends_in_quotes(ahead.line(), delimiter_, true);
  if (open) {
    delimiter_ = 0;  // the reader names the line; to look ahead from every other one would take long
    return;
  }
  if (joined_++ == 0) {
    joined_first_ = number_;
    joined_last_ = ahead.number();
  }
  lines_ = ahead;
  line_ = {line_.data(), static_cast<std::size_t>(ahead.line().data() + ahead.line().size() - line_.data())};
}

TableFields::TableFields(std::string_view line, char delimiter, const std::string& file, int line_number, char decimal)
    : at_(line.data()),
      end_(at_ + line.size()),
      delimiter_(delimiter),
      decimal_(decimal),
      file_(file),
      line_number_(line_number) {
  auto end = line.find('\r');
  while (end != std::string_view::npos && end + 1 < line.size() && line[end + 1] == '\n')
    end = line.find('\r', end + 1);
  if (end < line.size() - 1 && end != std::string_view::npos) {
    throw_input_error(text(file_, ", line ", line_number_, ": byte ", end + 1, " of the line is a carriage return"),
                      "other programs end a line there; the other lines end with LF or CRLF",
                      "Save the file with one kind of line ends.");
  }
  if (delimiter_ == ' ') step_past(at_);
}

bool TableFields::next(std::string_view& field) {
  if (at_ == nullptr) return false;
  ++column_;
  const char* first = at_;
  while (first != end_ && data::is_blank(*first) && !ends_field(*first)) ++first;
  if (first != end_ && *first == '"') return next_quoted(first + 1, field);
  const char* last = std::find_if(first, end_, [this](char letter) { return ends_field(letter); });
  field = read(data::trimmed({first, static_cast<std::size_t>(last - first)}));
  step_past(last);
  return true;
}

bool TableFields::next_quoted(const char* at, std::string_view& field) {
  unquoted_.clear();
  while (true) {
    const char* quote = std::find(at, end_, '"');
    if (quote == end_) {
      throw_input_error(text(where(), ": a quote is not closed"),
                        "it is open for the rest of the file, or for 1000 lines", "close it with \"");
    }
    for (; at != quote; ++at) {
      if (*at != '\r' || at + 1 == end_ || at[1] != '\n') unquoted_ += *at;  // CRLF is one line end
    }
    at = quote + 1;
    if (at == end_ || *at != '"') break;
    unquoted_ += *at++;
  }
  while (at != end_ && data::is_blank(*at) && !ends_field(*at)) ++at;
  if (at != end_ && !ends_field(*at)) {
    throw_input_error(text(where(), ": text follows a closing quote"), "",
                      "write a quote within quotes as \"\" (in R, qmethod = \"double\")");
  }
  step_past(at);
  field = read(data::trimmed(unquoted_));
  return true;
}

std::string_view TableFields::read(std::string_view field) {
  written_ = field;
  if (decimal_ != ',' || field.find(',') == std::string_view::npos || field.find('.') != std::string_view::npos)
    return field;
  pointed_ = with_point(field);
  return is_number(pointed_) ? std::string_view(pointed_) : field;
}

bool TableFields::next_number(float& value) {
  if (at_ == nullptr) return false;
  const char* at = at_;
  while (at != end_ && *at == ' ') ++at;
  const bool minus = at != end_ && *at == '-';
  if (minus) ++at;
  const char* const first = at;
  std::uint64_t digits = 0;  // eighteen digits cannot overflow it
  while (at != end_ && is_digit(*at)) digits = 10 * digits + static_cast<std::uint64_t>(*at++ - '0');
  const std::ptrdiff_t whole = at - first;
  if (whole != 0 && whole <= 18 && (at == end_ || ends_field(*at))) {
    const auto number = static_cast<float>(static_cast<std::int64_t>(digits));
    value = minus ? -number : number;
    ++column_;
    step_past(at);
    return true;
  }
  std::ptrdiff_t decimals = 0;
  if (at != end_ && *at == decimal_ && !ends_field(*at)) {
    const char* const point = at++;
    while (at != end_ && is_digit(*at)) digits = 10 * digits + static_cast<std::uint64_t>(*at++ - '0');
    decimals = at - point - 1;
  }
  const std::ptrdiff_t count = whole + decimals;
  constexpr std::uint64_t exact_in_double = std::uint64_t{1} << 53;
  if (count == 0 || count > 18 || digits > exact_in_double || (at != end_ && !ends_field(*at))) return false;

  // Both operands are exact, so the quotient is the nearest double. Rounding that to float is right unless it lies
  // half-way between two floats, where the digits may have been on either side.
  const double number = static_cast<double>(digits) / power_of_ten[static_cast<std::size_t>(decimals)];
  constexpr std::uint64_t below_float = (std::uint64_t{1} << 29) - 1, half = std::uint64_t{1} << 28;
  if ((std::bit_cast<std::uint64_t>(number) & below_float) == half) return false;
  value = static_cast<float>(minus ? -number : number);
  if (is_rounded(number, std::abs(value))) return false;  // whoever reads it notes that
  ++column_;
  step_past(at);
  return true;
}

int count_fields(std::string_view line, char delimiter, const std::string& file, int line_number) {
  TableFields fields(line, delimiter, file, line_number);
  std::string_view field;
  while (fields.next(field)) {
  }
  return fields.column();
}

std::vector<std::string> fields_of(std::string_view line, char delimiter, const std::string& file, int line_number) {
  TableFields fields(line, delimiter, file, line_number);
  std::vector<std::string> all;
  for (std::string_view field; fields.next(field);) all.emplace_back(field);
  return all;
}

namespace {

/// An error of a spreadsheet in any language: #DIV/0!, #WERT!, #VALEUR!, #NOME?, #N/D, #NV. No letter of it is small.
bool is_error(std::string_view field) {
  if (field.size() < 3 || field.size() > 24 || field[0] != '#') return false;
  if (field == "#NV" || (field.size() == 4 && field.starts_with("#N/"))) return true;
  const auto odd = [](char letter) { return (letter >= 'a' && letter <= 'z') || letter == ' ' || letter == '#'; };
  return (field.back() == '!' || field.back() == '?') && std::none_of(field.begin() + 1, field.end(), odd);
}

}  // namespace

bool begins_with_error(std::string_view line) {
  const std::string_view first = data::trimmed(line.substr(0, line.find_first_of(",;|\t")));
  return first.starts_with('#') && is_missing(first);
}

bool is_missing(std::string_view field) {
  // The words of pandas 2 and 3 (pandas.read_csv, na_values), "?" of the UCI repository, and errors of spreadsheets.
  static constexpr std::array<std::string_view, 21> words{
      "",     "?",   "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
      "<NA>", "N/A", "NA",   "NULL",     "NaN", "None",    "n/a",      "nan",  "null", "NAN"};
  if (field.starts_with('#') && is_error(field)) return true;
  return field.size() <= 8 && std::find(words.begin(), words.end(), field) != words.end();
}

bool is_number(std::string_view field) {
  float ignored = 0;
  return data::parse_feature(field, ignored) != data::FeatureFault::no_number && !is_missing(field);
}

bool has_decimal_comma(std::string_view field) {
  const auto comma = field.find(',');
  if (comma == std::string_view::npos || comma + 1 == field.size() || !is_digit(field[comma + 1])) return false;
  const bool digit_before = comma > 0 && is_digit(field[comma - 1]);
  const bool none_before = comma == 0 || (comma == 1 && (field[0] == '-' || field[0] == '+'));
  if (!digit_before && !none_before) return false;
  return is_number(with_point(field));
}

bool is_number_of_any_mark(std::string_view field) { return is_number(field) || has_decimal_comma(field); }

std::string with_point(std::string_view field) {
  std::string pointed(field);
  if (const auto comma = pointed.find(','); comma != std::string::npos) pointed[comma] = '.';
  return pointed;
}

bool may_have_thousands(std::string_view field, char mark) {
  if (field.starts_with('-') || field.starts_with('+')) field.remove_prefix(1);
  std::size_t digits = 0;
  while (digits < field.size() && is_digit(field[digits])) ++digits;
  if (digits == 0 || digits > 3 || field[0] == '0' || digits == field.size()) return false;
  for (field.remove_prefix(digits); !field.empty(); field.remove_prefix(4)) {
    if (field[0] != mark || field.size() < 4 || !std::all_of(field.begin() + 1, field.begin() + 4, is_digit))
      return false;
  }
  return true;
}

}  // namespace krossfold::tables
