// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/tables/readers.hpp"

namespace krossfold::input {

/// Sentences about data that were read, for people.
struct Notes {
  std::vector<std::string> understood{}, warning{};
};

/// Reads pictures as samples: PNG and JPEG files, which read_picture() decodes, in one sub-folder of `folder` for each class,
/// named after it. All have the same size. Samples are in byte order of class and file name; hidden files are skipped.
/// If a pixel of any picture is in colour, the samples are (channel, row, column) of red, green and blue, else of one channel;
/// params.features, if not 0, decides between the two. Transparent pictures are on white. With !params.labelled, a folder that
/// holds pictures and no folders is read as unlabelled samples.
/// Files that are no pictures, and classes without any, are warned of. Throws an input error, naming the file, for pictures of
/// different sizes, pictures in other formats, pictures beside the folders of classes, folders within them, and the errors of
/// read_picture().
data::Dataset read_image_folder(const std::string& folder, const tables::ReadParams& params, Notes& notes);

}  // namespace krossfold::input
