// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "krossfold/core/error.hpp"
#include "krossfold/input/data_source.hpp"
#include "read_samples.hpp"
#include "source.hpp"

namespace krossfold::input {
namespace {

// Nothing is opened: whoever writes a named pipe would take that for its reader.
bool is_readable(const std::string& path, bool folder) {
  std::error_code fault;
  return std::filesystem::is_directory(path, fault) == folder &&
         ::access(path.c_str(), folder ? R_OK | X_OK : R_OK) == 0;
}

bool mnist_is_readable(const Source& source) {
  try {
    const auto part_is_readable = [&](const char* part) {
      const auto [images, labels] = mnist_files(source, part);
      return is_readable(images, false) && is_readable(labels, false);
    };
    return part_is_readable("train") && part_is_readable("t10k");
  } catch (const Error&) {  // which says what is missing
    return false;
  }
}

}  // namespace

bool can_be_read(const std::string& spec) {
  constexpr std::string_view names = "names:";
  if (spec == "names") return true;
  if (spec.starts_with(names)) {
    return is_readable(spec.substr(names.size(), std::min(spec.find('#'), spec.size()) - names.size()), false);
  }
  const auto source = parse_source(spec);
  if (!source) return false;
  if (source->kind == "digits") return true;
  if (source->kind == "mnist") return mnist_is_readable(*source);
  if (source->kind == "images") return is_readable(source->file, true);
  const bool second = source->kind == "idx" || (source->kind == "npy" && !source->first.empty());
  return is_readable(source->file, false) && (!second || is_readable(source->first, false));
}

}  // namespace krossfold::input
