// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// No Kokkos here: compiled by the host compiler alone.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::cli {

template <class T>
bool contains(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// `digits` as a T, if they are a whole number. CLI11's own conversion takes -1 for an unsigned one and numbers that are
/// too large.
template <class T>
std::optional<T> whole_number(const std::string& digits) {
  T number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

template <class T>
T parse_whole(const std::string& value, const std::string& option, T least) {
  const std::optional<T> number = whole_number<T>(value);
  if (number && *number >= least) return *number;
  throw_input_error(text("bad value '", value, "' for ", option),
                    text("it takes a whole number from ", least, " to ", std::numeric_limits<T>::max()));
}

/// An option whose value needs more than a conversion.
inline void add_parsed(CLI::App& app, const std::string& names, std::function<void(const std::string&)> read,
                       const std::string& help, const std::string& type, const std::string& standard) {
  auto* option = app.add_option_function<std::string>(names, std::move(read), help)->type_name(type);
  if (!standard.empty()) option->default_str(standard);
}

template <class T>
void add_whole(CLI::App& app, const std::string& name, T& value, T least, const std::string& help,
               const std::string& type, const std::string& standard) {
  add_parsed(
      app, name, [&value, name, least](const std::string& v) { value = parse_whole(v, name, least); }, help, type,
      standard);
}

}  // namespace krossfold::cli
