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
  const std::string value = looks_like_formula(field) ? "'" + field : field;
  if (value.find_first_of(",\"\r\n") == std::string::npos) return value;
  std::string quoted = "\"";
  for (const char c : value) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace krossfold::report
