// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/data/dataset.hpp"
#include "krossfold/input/picture.hpp"

namespace krossfold::input {

/// Resizes `picture` to width x height pixels, both at least 1. Each direction is handled separately:
///   shrunk    area average: each new pixel is the mean of the area it covers, weighting partly covered pixels by share
///   enlarged  linear interpolation at (i + 1/2) old / new - 1/2 between pixel centres; edge pixels extend outwards
///   equal     values are copied
/// The step is appended to `made`.
Picture resize_picture(const Picture& picture, int width, int height);

/// The largest size with the same aspect ratio that fits into `room` (each side rounded, at least 1).
data::ImageShape fitting_size(const Picture& picture, data::ImageShape room);

/// The background of a picture in each channel: the median of its outermost pixels.
std::vector<float> border_colour(const Picture& picture);

/// The grey of border_colour().
float border_grey(const Picture& picture);

}  // namespace krossfold::input
