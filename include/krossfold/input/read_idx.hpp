// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krossfold/tables/readers.hpp"

namespace krossfold::input {

/// Reads images and labels in IDX format (http://yann.lecun.com/exdb/mnist; magic numbers 0x00000803 and 0x00000801,
/// unsigned bytes, big-endian sizes), plain or .gz. `labels` may be "" if !params.labelled.
/// Throws an input error for a wrong magic number, sizes that do not match the file length, or unequal numbers of
/// images and labels.
data::Dataset read_idx(const std::string& images, const std::string& labels, const tables::ReadParams& params = {});

}  // namespace krossfold::input
