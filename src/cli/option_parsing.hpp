// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos, because the host compiler alone compiles its users.

#include <algorithm>
#include <string>
#include <vector>

#include "krossfold/core/text.hpp"
#include "krossfold/run/option_table.hpp"

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

/// Adds an option that sets `value` to parse(text, option), where `option` is its name. The help shows the default `standard`.
template <class T, class Parse>
run::Option& add_parsed(run::OptionTable& table, const std::string& name, T& value, const Parse& parse,
                        const std::string& metavar, const std::string& help, const std::string& standard = "") {
  return table.add(
      name, metavar, help,
      [&value, parse](const std::string& word, const std::string& shown) { value = parse(word, shown); },
      [standard] { return standard; });
}

}  // namespace krossfold::cli
