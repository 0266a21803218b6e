// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/tables/numpy_files.hpp"

namespace krossfold::tables {

/// "3x8x8"
std::string dimensions_text(const std::vector<std::uint64_t>& dimensions);

/// How the samples of an array are images; dimensions of one entry do not count.
struct ImageForm {
  data::ImageShape image;  ///< none if they are not
  bool channels_last =
      false;  ///< (row, column, channel) or (pixel, channel), while features are (channel, row, column)
};

/// As `image` says, "" or "auto" for what the dimensions say: two are (row, column), three are (channel, row, column) with fewer channels than
/// rows and columns, or (row, column, channel) with the same. Throws an input error for samples of as many numbers as the image has, but of
/// other dimensions than these, in part or wholly flattened.
ImageForm image_form(const ArrayPieces& x, const std::string& image);

}  // namespace krossfold::tables
