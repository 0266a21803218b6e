// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace krossfold::data {

/// What is known of a PNG file before anything of it is decoded.
struct PngHeader {
  std::uint32_t width = 0, height = 0;
  int depth = 0, colour_type = 0;
  bool interlaced = false, animated = false;
  std::string ignored{};  ///< "gAMA, iCCP": chunks that would change the colours, where the file does not say sRGB
};

/// Looks at signature, header and the names of the chunks before the pixels, and decides whether it is worth going on.
/// Throws the input errors of parse_png that need no decoding: no PNG, no pixels, too many, cut off.
PngHeader look_at_png(std::span<const std::byte> bytes, const std::string& name);

}  // namespace krossfold::data
