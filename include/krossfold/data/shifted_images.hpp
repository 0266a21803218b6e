// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Images that are unlike those of a data set, made out of it: what an ensemble should doubt. All are pure functions of
// their arguments.

#include <cstdint>
#include <string>

#include "krossfold/core/random.hpp"
#include "krossfold/data/dataset.hpp"

namespace krossfold::data {

enum class ImageShift {
  noise,     ///< each value uniform in the range, image i from stream {seed, random_purpose_noise_images, trial i}
  inverted,  ///< lowest + highest - value: the negative
  shuffled,  ///< the values of image i in the order of random_permutation({seed, random_purpose_shuffled_pixels, trial i})
  photograph,  ///< photograph_like, image i from stream {seed, random_purpose_photograph, trial i}
};

/// "noise", "inverted", "shuffled pixels", "photograph-like".
std::string name_of(ImageShift shift);

/// The values that pixels take.
struct PixelRange {
  float lowest = 0, highest = 0;
  bool integer = false;  ///< whole numbers only
};

/// The range of a data set: take that of the training part, so that a few test images have the same.
PixelRange pixel_range(const Dataset& dataset);

/// As many images of the same shape as `images` has, named "NAME (noise)" and so on, without labels. Whole numbers where the
/// range is (noise then takes each of them equally often); no value leaves the range if none of `images` does.
/// Throws an input error if `images` holds no images (image.width is 0).
Dataset shifted_images(ImageShift shift, const Dataset& images, const PixelRange& range, std::uint64_t seed);

/// A smooth random scene that shows nothing, but is lit like a photograph: a gradient and twelve plane waves of up to four
/// periods a side, the short ones weaker, with the darkest value at range.lowest and the brightest at range.highest. Values
/// in the order (channel, row, column), as convolutions take them; channels differ in their shares of the waves.
/// Preconditions: width, height, channels >= 1.
Vector<float> photograph_like(const ImageShape& shape, const PixelRange& range, const StreamId& stream);

}  // namespace krossfold::data
