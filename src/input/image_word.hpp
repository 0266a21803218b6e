// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krossfold/core/text.hpp"
#include "krossfold/data/dataset.hpp"

namespace krossfold::input {

/// The shape as --image has it, by which arrays of several dimensions are judged; "" if it is none, or a single row, which networks make of
/// a table.
inline std::string image_word(const data::ImageShape& shape) {
  if (!shape.is_image() || (shape.height == 1 && shape.channels == 1)) return "";
  return text(shape.width, "x", shape.height, shape.channels > 1 ? text("x", shape.channels) : "");
}

}  // namespace krossfold::input
