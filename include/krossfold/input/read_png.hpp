// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "krossfold/input/picture.hpp"

namespace krossfold::input {

/// Decodes a PNG file (ISO/IEC 15948) of any colour type, depth and interlacing with libpng. Samples are used as stored:
/// gamma, chromaticities and colour profiles (gAMA, cHRM, iCCP, sRGB) are ignored.
///   depth         maps 0 ... 2^bits - 1 to 0 ... 255, without rounding 16-bit samples
///   colour        becomes grey by bt601_grey() unless it is kept
///   transparency  (alpha channel or tRNS) is composited onto the grey background
///   animation     gives the default image
/// `made` reads "640x480, 8-bit RGB with alpha -> on white -> grey (BT.601)"; `name` is used in messages.
/// Throws an input error naming the file if it is not a PNG (and what it is instead, if its first bytes reveal that),
/// has no pixels, more than max_picture_pixels or a side above longest_picture_side, is truncated or is damaged (checksums
/// included). Sizes are checked before memory is allocated, also against what a file of this length can hold.
Picture parse_png(std::span<const std::byte> bytes, const std::string& name, const DecodeParams& params = {});

}  // namespace krossfold::input
