// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/data/dataset.hpp"
#include "krossfold/data/read_png.hpp"

namespace krossfold::data {

/// `picture` with width x height pixels, each direction by itself:
///   shrunk    area average: a new pixel is the mean of what it covers, parts of old pixels counted by their share
///   enlarged  bilinear between pixel centres, which lie at (i + 1/2) old / new - 1/2; the edge goes on beyond the outermost
///   equal     the same values
/// Both sides at least 1. What was done is added to `made`.
Picture resize_picture(const Picture& picture, int width, int height);

/// The largest size of the same proportions that fits into `room` (each side rounded, at least 1).
ImageShape fitting_size(const Picture& picture, ImageShape room);

/// The grey of the ground a figure stands on: the median of the outermost pixels.
float border_grey(const Picture& picture);

}  // namespace krossfold::data
