// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/input/spec.hpp"

namespace krossfold::input {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// ${XDG_CACHE_HOME:-~/.cache}; the XDG Base Directory Specification requires relative paths to be ignored.
std::string cache_folder() {
  if (const std::string cache = environment("XDG_CACHE_HOME"); cache.starts_with('/')) return cache;
  const std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.cache";
}

}  // namespace

std::string find_data_folder(const std::string& name, const std::string& folder) {
  std::vector<std::string> candidates;
  if (!folder.empty()) {
    candidates.push_back(folder);
  } else {
    if (const std::string data = environment("KROSSFOLD_DATA"); !data.empty()) candidates.push_back(data + "/" + name);
    if (const std::string cache = cache_folder(); !cache.empty()) candidates.push_back(cache + "/krossfold/" + name);
  }
  std::string tried;
  for (const std::string& candidate : candidates) {
    std::error_code fault;
    if (std::filesystem::is_directory(candidate, fault)) return candidate;
    tried += (tried.empty() ? "" : ", ") + candidate;
  }
  throw_input_error(text("the data set ", name, " is not on this machine"),
                    tried.empty() ? "KROSSFOLD_DATA and HOME are not set" : text("looked for the folder ", tried),
                    text("get it with tools/fetch-", name, " (installed: krossfold-fetch-", name, "), or write ", name,
                         ":DIR or set KROSSFOLD_DATA to the "
                         "folder that holds ",
                         name, "/"));
}

}  // namespace krossfold::input
