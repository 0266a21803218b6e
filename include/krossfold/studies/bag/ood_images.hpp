// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"

namespace krossfold::studies {

/// Images that show none of a study's classes (out of distribution): what its ensemble should doubt.
struct OodImages {
  std::vector<std::string> name;  ///< (set)
  std::vector<int> count;         ///< (set): images of it
  data::Dataset images;           ///< of all sets, one after the other; none if there is no set
};

/// The sets of a study: noise, inverted, shuffled pixels and photograph-like images (data/shifted_images.hpp), each made of the
/// first 1,000 test images, or of all where there are fewer; then the images `given` as ood, if any.
/// Throws an input error if those given are not of the training images' shape.
OodImages gather_ood(const data::Task& task, std::uint64_t seed, const data::Dataset& given);

}  // namespace krossfold::studies
