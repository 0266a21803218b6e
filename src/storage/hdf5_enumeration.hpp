// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Enumerations of HDF5. Private to this layer.

#include <string>
#include <unordered_map>

#include "krossfold/storage/hdf5.hpp"

namespace krossfold::storage {

/// True for the truth values of h5py: an enumeration of FALSE = 0 and TRUE = 1.
bool is_boolean(hid_t type);

/// The names of an enumeration by the bytes of their values. H5Tenum_nameof() would search all of them for each value. Throws an input error that
/// begins with `problem` if they are damaged.
std::unordered_map<std::string, std::string> members_of(hid_t type, const std::string& problem);

}  // namespace krossfold::storage
