// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krossfold/tables/readers.hpp"
#include "source.hpp"

namespace krossfold::input {

/// Part "train" or "t10k" of MNIST.
data::Dataset read_mnist(const Source& source, const std::string& part, const tables::ReadParams& params);

/// Reads a whole data set that is no table; MNIST, which comes in two parts, gives its test part. `image` is that of
/// TableParams.
data::Dataset read_samples(const Source& source, const tables::ReadParams& params, const std::string& image);

}  // namespace krossfold::input
