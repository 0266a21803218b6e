// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A container as plain bytes without checksums, so that a fuzzer changes what is in a file rather than HDF5's own structures.

#include "fuzz/target.hpp"
#include "krossfold/storage/container.hpp"

namespace krossfold::fuzz {

/// Attributes and arrays, one after the other: kind, length and letters of the name, shape, values.
Bytes to_plain(const storage::Container& container);

/// Whatever the bytes are, they are read as a container; sizes are cut to what is there.
storage::Container from_plain(std::span<const std::byte> bytes);

}  // namespace krossfold::fuzz
