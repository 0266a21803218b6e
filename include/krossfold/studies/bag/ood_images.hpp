// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"

namespace krossfold::studies {

/// Images that show none of a study's classes (out of distribution), about which its ensemble should be uncertain.
struct OodImages {
  std::vector<std::string> name;  ///< (set)
  std::vector<int> count;         ///< (set): number of images
  data::Dataset images;           ///< of all sets, one after the other; empty if there is no set
};

/// The sets of a study: noise, inverted, shuffled pixels and photograph-like images (data/shifted_images.hpp), each
/// derived from the first 1,000 test images, or all if there are fewer; then the images `given` by the option ood, if
/// any. Throws an input error if there are given images but no test part, or if they do not have the shape of the training images.
OodImages gather_ood(const data::Task& task, std::uint64_t seed, const data::Dataset& given);

}  // namespace krossfold::studies
