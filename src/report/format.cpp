// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/report/format.hpp"

#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <sstream>
#include <string_view>

#include "krossfold/core/text.hpp"

namespace krossfold::report {

namespace {

template <class T>
T attribute_or(const storage::Container& result, const std::string& name, T otherwise) {
  const auto found = result.attributes.find(name);
  const T* value = found == result.attributes.end() ? nullptr : std::get_if<T>(&found->second);
  return value == nullptr ? otherwise : *value;
}

/// Spreadsheets run formulas, which can send what is in other cells elsewhere.
bool looks_like_formula(const std::string& field) {
  if (field.size() < 2 || std::string_view("=+-@\t\r").find(field[0]) == std::string_view::npos) return false;
  char* end = nullptr;
  std::strtod(field.c_str(), &end);
  return *end != '\0';
}

/// True if a cell begins there that is one, or goes on as one, for a spreadsheet that separates cells at semicolons, as in most of
/// Europe, or at tabs: quotes that begin amid such a cell protect nothing, and those at its beginning are an empty text.
bool splits_into_formula(const std::string& field, std::size_t at) {
  if (at == 0 || std::string_view(";\t\r\n").find(field[at - 1]) == std::string_view::npos) return false;
  const std::size_t first = field.find_first_not_of('"', at);
  return first != std::string::npos && std::string_view("=+-@").find(field[first]) != std::string_view::npos;
}

std::string without_formulas(const std::string& field) {
  std::string safe = looks_like_formula(field) ? "'" : "";
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (splits_into_formula(field, i)) safe += '\'';
    safe += field[i];
  }
  return safe;
}

}  // namespace

std::int64_t whole(const storage::Container& result, const std::string& name) {
  return attribute_or<std::int64_t>(result, name, 0);
}

double real(const storage::Container& result, const std::string& name, double otherwise) {
  const double value = attribute_or(result, name, otherwise);
  return std::isfinite(value) ? value : otherwise;
}

std::string percent(double fraction) { return std::isnan(fraction) ? "-" : fixed(100 * fraction, 2) + " %"; }

std::string counted(int count, const std::string& what) { return text(count, " ", what, count == 1 ? "" : "s"); }

std::string rounded(double value, int digits) {
  if (std::isnan(value)) return "-";
  std::ostringstream out;
  out << std::setprecision(digits) << value;
  return out.str();
}

std::string csv_field(const std::string& field) {
  const std::string value = without_formulas(field);
  if (value.find_first_of(",;\"\t\r\n") == std::string::npos) return value;
  std::string quoted = "\"";
  for (const char c : value) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace krossfold::report
