// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>

#include "krossfold/tables/readers.hpp"
#include "read_image_folder.hpp"
#include "source.hpp"

namespace krossfold::input {

/// The files of images and of labels of part "train" or "t10k" of MNIST, plain or compressed. Throws an input error if one is missing.
std::pair<std::string, std::string> mnist_files(const Source& source, const std::string& part);

/// True for data that come in a training and a test part: MNIST, and a file converted from it.
bool in_two_parts(const Source& source);
/// The training part of such data.
data::Dataset read_training_part(const Source& source, const tables::ReadParams& params);
/// True if a limit keeps the first training samples of these data, because they are in random order and what is published of
/// them names the first ones: MNIST, and a file converted from it.
bool limit_keeps_first(const Source& source);

/// Reads a whole data set that is no table; one in two parts gives its test part. `image` is that of TableParams. What was
/// understood of a folder of images is added to `notes`.
data::Dataset read_samples(const Source& source, const tables::ReadParams& params, const std::string& image,
                           Notes* notes = nullptr);

}  // namespace krossfold::input
