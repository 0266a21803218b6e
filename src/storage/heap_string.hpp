// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Variable-length strings of untrusted files. They lie in a heap without checksums, whose sizes HDF5 uses unchecked.
// Therefore HDF5 only gives their place, and their letters are taken from the bytes of the file.

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "krossfold/storage/hdf5.hpp"

namespace krossfold::storage::hdf5 {

/// Where a string lies: its length (4 bytes), address of its heap collection (8), number of the object in it (4).
using HeapReference = std::array<std::byte, 16>;

/// Reads the reference that an attribute with one variable-length string holds; negative if HDF5 fails.
herr_t read_heap_reference(hid_t attribute, HeapReference& reference);

/// The string that `reference` refers to in `file`, the bytes from the superblock on; nothing if it is not wholly there.
std::optional<std::string_view> heap_string(std::span<const std::byte> file, const HeapReference& reference);

}  // namespace krossfold::storage::hdf5
