// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace krossfold::input {

/// What is known about a PNG file before decoding.
struct PngHeader {
  std::uint32_t width = 0, height = 0;
  int depth = 0, colour_type = 0;
  bool interlaced = false, animated = false;
  std::string ignored{};  ///< "gAMA, iCCP": ignored chunks that would change the colours of a file without sRGB
};

/// Checks signature, header and chunk names before the pixels, to decide whether the file is worth decoding. Throws the
/// input errors of parse_png that need no decoding: not a PNG, no pixels, too many pixels, truncated.
PngHeader look_at_png(std::span<const std::byte> bytes, const std::string& name);

}  // namespace krossfold::input
