// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos, because the host compiler alone compiles its users.

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

/// "Did you mean NEAREST?", or `otherwise` if no candidate is near the word.
inline std::string suggestion(const std::string& word, const std::vector<std::string>& candidates,
                              const std::string& otherwise) {
  const std::string nearest = nearest_word(word, candidates);
  return nearest.empty() ? otherwise : text("Did you mean ", nearest, "?");
}

/// Adds an option whose text goes to `set`; an empty `standard` shows no default.
inline void add_text(CLI::App& app, const std::string& option, const std::function<void(const std::string&)>& set,
                     const std::string& help, const std::string& type, const std::string& standard) {
  auto* added = app.add_option_function<std::string>(option, set, help)->type_name(type);
  if (!standard.empty()) added->default_str(standard);
}

/// Adds an option that sets `value` to parse(text, option), where `option` is its name.
template <class T, class Parse>
void add_parsed(CLI::App& app, const std::string& option, T& value, const Parse& parse, const std::string& help,
                const std::string& type, const std::string& standard = "") {
  add_text(
      app, option, [&value, parse, option](const std::string& text) { value = parse(text, option); }, help, type,
      standard);
}

}  // namespace krossfold::cli
