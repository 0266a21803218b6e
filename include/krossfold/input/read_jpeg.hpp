// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "krossfold/input/picture.hpp"

namespace krossfold::input {

/// Whether the bytes begin as those of a JPEG file.
bool is_jpeg(std::span<const std::byte> bytes);

/// Decodes a JPEG file (ISO/IEC 10918-1; baseline and progressive, 8 bits) with libjpeg-turbo: the accurate inverse cosine
/// transform and smooth upsampling of chroma, as Pillow decodes it. Colours become grey by bt601_grey() unless they are kept.
/// The orientation in EXIF data is not applied, and colour profiles are ignored, as in Pillow and torchvision.
/// `made` reads "640x480, JPEG -> grey (BT.601)".
/// Throws an input error naming the file if it is in the colours of print (CMYK), has more than max_picture_pixels, is truncated,
/// or if the library finds it damaged. JPEG files have no checksums: damage may also give wrong pixels that nothing can notice.
Picture parse_jpeg(std::span<const std::byte> bytes, const std::string& name, const DecodeParams& params = {});

}  // namespace krossfold::input
