// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>

#include "krossfold/core/text.hpp"
#include "krossfold/data/dataset.hpp"

namespace krossfold::input {

/// The shape as --image has it, by which arrays of several dimensions are judged; "" if it is none, or longer than --image may be, as some
/// arrays of HDF5 are.
inline std::string image_word(const data::ImageShape& shape) {
  constexpr int longest_side = 65536;
  if (!shape.is_image() || std::max({shape.width, shape.height, shape.channels}) > longest_side) return "";
  return text(shape.width, "x", shape.height, shape.channels > 1 ? text("x", shape.channels) : "");
}

}  // namespace krossfold::input
