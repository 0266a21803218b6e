// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// No Kokkos here: compiled by the host compiler alone.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::cli {

template <class T>
bool contains(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// An option whose value needs more than a conversion.
inline void add_parsed(CLI::App& app, const std::string& names, const std::function<void(const std::string&)>& read,
                       const std::string& help, const std::string& type, const std::string& standard) {
  auto* option = app.add_option_function<std::string>(names, read, help)->type_name(type);
  if (!standard.empty()) option->default_str(standard);
}

}  // namespace krossfold::cli
