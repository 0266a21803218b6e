// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Out-of-distribution images derived from a data set, on which an ensemble should be uncertain. All are pure functions
// of their arguments.

#include <cstdint>
#include <string>

#include "krossfold/core/random.hpp"
#include "krossfold/data/dataset.hpp"

namespace krossfold::data {

enum class ImageShift {
  noise,       ///< values uniform in the range; image i uses stream {seed, random_purpose_noise_images, trial i}
  inverted,    ///< the negative: lowest + highest - value
  shuffled,    ///< image i permuted by random_permutation({seed, random_purpose_shuffled_pixels, trial i})
  photograph,  ///< photograph_like(); image i uses stream {seed, random_purpose_photograph, trial i}
};

/// "noise", "inverted", "shuffled pixels", "photograph-like".
std::string name_of(ImageShift shift);

/// The range of pixel values.
struct PixelRange {
  float lowest = 0, highest = 0;
  bool integer = false;  ///< integers only
};

/// The range of a data set. Use that of the training part, so that it does not depend on the choice of test images.
PixelRange pixel_range(const Dataset& dataset);

/// Makes as many unlabelled images of the same shape as `images`, named "NAME (noise)" and so on. Values are integers
/// if range.integer is set (noise is then uniform over them) and stay in the range if those of `images` do.
/// Throws an input error if `images` holds no images (image.width is 0).
Dataset shifted_images(ImageShift shift, const Dataset& images, const PixelRange& range, std::uint64_t seed);

/// A smooth random scene with the lighting of a photograph but no object: a gradient plus twelve plane waves of up to
/// four periods per side, short ones weaker, stretched so that the extremes are range.lowest and range.highest. Values
/// are in the order (channel, row, column), as convolutions expect; channels differ in their weights of the waves.
/// Preconditions: width, height, channels >= 1.
Vector<float> photograph_like(const ImageShape& shape, const PixelRange& range, const StreamId& stream);

}  // namespace krossfold::data
