// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "krossfold/core/text.hpp"
#include "krossfold/study/bag_params.hpp"

namespace krossfold::study {

inline std::string value_of(const std::string& value) { return value; }
inline std::string value_of(bool value) { return value ? "true" : "false"; }
inline std::string value_of(double value) { return shortest(value); }
inline std::string value_of(int value) { return std::to_string(value); }
inline std::string value_of(std::int64_t value) { return std::to_string(value); }
inline std::string value_of(std::uint64_t value) { return std::to_string(value); }
inline std::string value_of(const Range& range) { return shortest(range.low) + ":" + shortest(range.high); }
inline std::string value_of(const WholeRange& range) { return text(range.low, ":", range.high); }
template <class T>
std::string value_of(const std::optional<T>& value) {
  return value ? value_of(*value) : "auto";
}

/// Collects options with their values as text.
struct OptionValues {
  std::vector<OptionValue> all;

  template <class T>
  void add(const std::string& name, const T& value, const T& standard) {
    all.push_back({name, value_of(value), value_of(value) == value_of(standard)});
  }
};

}  // namespace krossfold::study
