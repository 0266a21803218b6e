// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace krossfold::test {

/// An IDX file of unsigned bytes: {0, 0, 8, number of sizes}, the sizes (big endian), the content.
inline std::string idx_bytes(const std::vector<std::uint32_t>& sizes, const std::string& content) {
  std::string bytes{'\0', '\0', '\x08', static_cast<char>(sizes.size())};
  for (const std::uint32_t size : sizes) {
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(size >> shift & 255);
  }
  return bytes + content;
}

}  // namespace krossfold::test
