// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include "krossfold/core/text.hpp"
#include "krossfold/storage/journal.hpp"

namespace krossfold::storage {

namespace {

using Setting = std::pair<std::string, std::string>;

/// Parses "name = value" lines in order; a line without " = " is a name without a value.
std::vector<Setting> settings(const std::string& config) {
  std::vector<Setting> result;
  std::istringstream lines(config);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find(" = ");
    if (equals != std::string::npos) {
      result.emplace_back(line.substr(0, equals), line.substr(equals + 3));
    } else if (!line.empty()) {
      result.emplace_back(line, "");
    }
  }
  return result;
}

const std::string* value_of(const std::vector<Setting>& settings, const std::string& name) {
  const auto found = std::find_if(settings.begin(), settings.end(), [&](const Setting& s) { return s.first == name; });
  return found == settings.end() ? nullptr : &found->second;
}

std::string shown(const std::string* value) {
  if (value == nullptr) return "not set";
  return value->empty() ? "empty" : *value;
}

}  // namespace

std::string difference(const Fingerprint& before, const Fingerprint& now) {
  std::vector<std::string> parts;
  const std::vector<Setting> old_settings = settings(before.config), new_settings = settings(now.config);
  bool older = false;
  const auto compare = [&](const std::string& name) {
    const std::string* said = value_of(old_settings, name);
    const auto unsaid = now.unsaid.find(name);
    older = older || (said == nullptr && unsaid != now.unsaid.end());
    const std::string was = shown(said == nullptr && unsaid != now.unsaid.end() ? &unsaid->second : said),
                      is = shown(value_of(new_settings, name));
    if (was == is) return;
    const bool hashed = name == "columns";
    parts.push_back(hashed ? "the names or categories of the columns differ"
                           : text(name, " was ", was, " and is now ", is));
  };
  for (const auto& [name, value] : old_settings) compare(name);
  for (const auto& [name, value] : new_settings) {
    if (value_of(old_settings, name) == nullptr) compare(name);
  }
  if (parts.empty() && !older && before.config != now.config) parts.emplace_back("the options are written differently");
  // Other samples are no surprise where the options that choose them differ.
  const bool chosen_otherwise = std::any_of(parts.begin(), parts.end(), [](const std::string& part) {
    return part.starts_with("seed ") || part.starts_with("limit ") || part.starts_with("test-part ");
  });
  if (before.data != now.data && !chosen_otherwise) parts.emplace_back("the data set differs");
  if (before.build != now.build) parts.push_back(text("the build was ", before.build, " and is now ", now.build));

  return joined(parts, "; ");
}

}  // namespace krossfold::storage
