// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "krossfold/data/dataset.hpp"

namespace krossfold::data {

/// Throws an input error if `what` needs more bytes than this machine has memory.
void check_memory(std::uint64_t bytes, const std::string& what);

/// Space for `samples` x `features` values of the file `name`, not initialised. Throws an input error if there are none,
/// too many to count with an int, or more than fit in memory.
Matrix<float> allocate_samples(std::uint64_t samples, std::uint64_t features, const std::string& name);

/// The first `count` rows, as constants.
Matrix<const float> first_rows(const Matrix<float>& values, int count);

/// Throws an input error if `expected` is not 0 and `features` differs from it.
void check_features(int features, int expected, const std::string& name);

/// The shape of samples whose file tells none, by the rule that readers.hpp states.
ImageShape square_image(const Dataset& dataset);

}  // namespace krossfold::data
