// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace krossfold::data {

/// A grey picture in host memory.
struct Picture {
  int width = 0, height = 0;
  std::vector<float> grey{};  ///< (row, column) from the top left; 0 is black, 255 white
  std::string made{};         ///< what it was in its file and how it became grey, for people

  float at(int row, int column) const { return grey[static_cast<std::size_t>(row) * width + column]; }
};

constexpr std::int64_t most_png_pixels = 50'000'000;  ///< more are refused: 200 MB as a Picture
constexpr std::int64_t longest_png_side = 65'535;     ///< pixels

/// Reads a PNG file (ISO/IEC 15948) of any colour type, depth and interlacing, with libpng. Samples are taken as they are
/// stored: gamma, chromaticities and colour profiles (gAMA, cHRM, iCCP, sRGB) change nothing.
///   depth         0 ... 2^bits - 1 becomes 0 ... 255; of 16 bits nothing is rounded away
///   colour        grey = .299 R + .587 G + .114 B (luma of ITU-R BT.601, section 2.5.1): what Pillow, OpenCV and
///                 torchvision make of it, so that pictures get the grey that training data has that was made with those
///   transparency  (alpha channel, or tRNS) laid on the grey `background`
///   animation     the still picture that other programs show
/// `made` reads "640x480, 8-bit RGB with alpha -> on white -> grey (BT.601)".
/// Throws an input error that names the file: no PNG (and what it is instead, if its first bytes tell), no pixels, more than
/// most_png_pixels or a side beyond longest_png_side, cut off, damaged (also by a wrong checksum). Sizes are checked, also
/// against what the file's bytes could hold at all, before memory is allocated for them.
Picture read_png(const std::string& path, float background = 255);

/// The same from bytes; `name` is for messages.
Picture parse_png(std::span<const std::byte> bytes, const std::string& name, float background = 255);

}  // namespace krossfold::data
