// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace krossfold::input {

/// A greyscale picture in host memory.
struct Picture {
  int width = 0, height = 0;
  std::vector<float> grey{};  ///< (row, column) from the top left; 0 is black, 255 white
  std::string made{};         ///< its format in the file and its conversions so far, for people

  float at(int row, int column) const { return grey[static_cast<std::size_t>(row) * width + column]; }
};

constexpr std::int64_t max_png_pixels = 50'000'000;  ///< limit: 200 MB as a Picture
constexpr std::int64_t longest_png_side = 65'535;    ///< pixels

/// Reads a PNG file (ISO/IEC 15948) of any colour type, depth and interlacing with libpng. Samples are used as stored:
/// gamma, chromaticities and colour profiles (gAMA, cHRM, iCCP, sRGB) are ignored.
///   depth         maps 0 ... 2^bits - 1 to 0 ... 255, without rounding 16-bit samples
///   colour        grey = .299 R + .587 G + .114 B (luma of ITU-R BT.601, section 2.5.1), as in Pillow, OpenCV and
///                 torchvision, so that pictures match training data converted with those
///   transparency  (alpha channel or tRNS) is composited onto the grey `background`
///   animation     gives the default image
/// `made` reads "640x480, 8-bit RGB with alpha -> on white -> grey (BT.601)".
/// Throws an input error naming the file if it is not a PNG (and what it is instead, if its first bytes reveal that),
/// has no pixels, more than max_png_pixels or a side above longest_png_side, is truncated or is damaged (checksums
/// included). Sizes are checked before memory is allocated, also against what a file of this length can hold.
Picture read_png(const std::string& path, float background = 255);

/// The same from bytes; `name` is used in messages.
Picture parse_png(std::span<const std::byte> bytes, const std::string& name, float background = 255);

}  // namespace krossfold::input
