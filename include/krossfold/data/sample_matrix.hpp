// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "krossfold/data/dataset.hpp"

namespace krossfold::data {

/// Throws an input error if `bytes`, needed by `what`, exceed this machine's memory.
void check_memory(std::uint64_t bytes, const std::string& what);

/// Allocates `samples` x `features` uninitialised values for the file `name`. Throws an input error if either is 0 or
/// exceeds the range of int, or if they do not fit in memory.
Matrix<float> allocate_samples(std::uint64_t samples, std::uint64_t features, const std::string& name);

/// A read-only view of the first `count` rows.
Matrix<const float> first_rows(const Matrix<float>& values, int count);

/// Throws an input error if `expected` is not 0 and `features` differs from it.
void check_features(int features, int expected, const std::string& name);

/// Throws an input error if both are shapes of images and they differ.
void check_image(const ImageShape& image, const ImageShape& expected, const std::string& name);

}  // namespace krossfold::data
