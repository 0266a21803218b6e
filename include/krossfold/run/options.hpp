// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <vector>

#include "krossfold/core/text.hpp"
#include "krossfold/run/run_params.hpp"

namespace krossfold::run {

/// The value that an option had in a run.
struct OptionValue {
  std::string name, value;
  bool is_default = true;
};

/// Lines "name = value" of all options but data and test. Two runs on equal data compute the same if and only if they are equal.
std::string fingerprint_text(const std::vector<OptionValue>& options);

/// Values that options had before they existed, for files that lack them: without a test part the last fifth was held out, tables
/// that looked like images were images, and trainings had no validation. options: those of the study, or of the file.
std::vector<OptionValue> older_values(const std::vector<OptionValue>& options);

/// {"folds": {"value": "5", "default": true}, ...}
std::string to_json(const std::vector<OptionValue>& options);

/// Reads what to_json() wrote. Throws an input error about the file `name` for anything else.
std::vector<OptionValue> options_from_json(const std::string& json, const std::string& name);

/// The value of one option in what to_json() wrote, or "" if it is not there.
std::string value_from_json(const std::string& json, const std::string& name, const std::string& option);

/// Throws an input error that names the option unless `range`, of powers of ten, lies between -30 and `highest`. The message
/// suggests `example`.
void check_powers(const Range& range, const std::string& option, double highest, const std::string& example);

/// The value of an option as text.
inline std::string value_of(const std::string& value) { return value; }
inline std::string value_of(bool value) { return value ? "true" : "false"; }
inline std::string value_of(double value) { return shortest(value); }
template <std::integral T>
std::string value_of(T value) {
  return std::to_string(value);
}
template <class T>
std::string value_of(const RangeOf<T>& range) {
  return value_of(range.low) + ":" + value_of(range.high);
}
/// An item of a list as split_list() reads it: in quotes if it needs them.
std::string list_item(const std::string& item);
template <class T>
std::string value_of(const std::vector<T>& values) {
  std::string all;
  for (const T& value : values) all += (all.empty() ? "" : ",") + list_item(value_of(value));
  return all;
}

template <class T>
std::string value_of(const std::optional<T>& value) {
  return value ? value_of(*value) : "auto";
}

}  // namespace krossfold::run
