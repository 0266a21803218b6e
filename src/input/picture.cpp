// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/input/picture.hpp"

#include <algorithm>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/read_file.hpp"
#include "krossfold/input/read_jpeg.hpp"
#include "krossfold/input/read_png.hpp"

namespace krossfold::input {

bool is_picture_name(const std::string& path) {
  const auto dot = path.rfind('.');
  if (dot == std::string::npos) return false;
  std::string end = path.substr(dot);
  std::transform(end.begin(), end.end(), end.begin(), [](char letter) {
    return static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
  });
  return end == ".png" || end == ".jpg" || end == ".jpeg";
}

bool is_picture(const std::filesystem::directory_entry& entry) {
  const std::string path = entry.path().string();
  if (!is_picture_name(path)) return false;
  std::error_code ignored;
  require(!entry.is_other(ignored), text("cannot read ", path), "it is not a regular file",
          "Take it out of the folder.");
  return true;
}

Picture read_picture(const std::string& path, const DecodeParams& params) {
  const std::vector<std::byte> bytes = data::read_file(path);
  return is_jpeg(bytes) ? parse_jpeg(bytes, path, params) : parse_png(bytes, path, params);
}

}  // namespace krossfold::input
