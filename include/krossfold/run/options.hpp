// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "krossfold/core/text.hpp"
#include "krossfold/run/run_params.hpp"

namespace krossfold::run {

/// One option as it was used.
struct OptionValue {
  std::string name, value;
  bool is_default = true;
};

/// "name = value" a line, without data and test: equal for two runs on equal data exactly if they compute the same.
std::string fingerprint_text(const std::vector<OptionValue>& options);

/// {"folds": {"value": "5", "default": true}, ...}
std::string to_json(const std::vector<OptionValue>& options);

/// Reads what to_json wrote; `name` is for the input error that it throws otherwise.
std::vector<OptionValue> options_from_json(const std::string& json, const std::string& name);

/// The value of an option as text.
inline std::string value_of(const std::string& value) { return value; }
inline std::string value_of(bool value) { return value ? "true" : "false"; }
inline std::string value_of(double value) { return shortest(value); }
inline std::string value_of(int value) { return std::to_string(value); }
inline std::string value_of(std::int64_t value) { return std::to_string(value); }
inline std::string value_of(std::uint64_t value) { return std::to_string(value); }
inline std::string value_of(const Range& range) { return shortest(range.low) + ":" + shortest(range.high); }
inline std::string value_of(const WholeRange& range) { return text(range.low, ":", range.high); }
template <class T>
std::string value_of(const std::vector<T>& values) {
  std::string all;
  for (const T& value : values) all += (all.empty() ? "" : ",") + value_of(value);
  return all;
}

template <class T>
std::string value_of(const std::optional<T>& value) {
  return value ? value_of(*value) : "auto";
}

}  // namespace krossfold::run
