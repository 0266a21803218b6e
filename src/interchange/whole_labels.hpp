// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace krossfold::interchange {

/// The class names as numbers, if each is a whole number of 32 bits as it is usually written ("7", "-1"; not "007" or "1.0").
inline std::optional<std::vector<std::int64_t>> whole_labels(const std::vector<std::string>& class_name) {
  std::vector<std::int64_t> all;
  for (const std::string& name : class_name) {
    std::int32_t value = 0;
    const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), value);
    if (fault != std::errc{} || end != name.data() + name.size() || std::to_string(value) != name) return std::nullopt;
    all.push_back(value);
  }
  return all;
}

}  // namespace krossfold::interchange
