// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where the values of arrays in HDF5 files of strangers come from. Private to this layer.

#include <string>

#include "krossfold/storage/hdf5.hpp"

namespace krossfold::storage::hdf5 {

/// How an array or group is opened without following links to other files. `creator` makes the list: H5P_DATASET_ACCESS or H5P_LINK_ACCESS.
Handle access_within_file(hid_t creator);

/// Makes sure that an array's values lie in its own file and that the file can hold as many as it says. Throws an input error that
/// begins with `what` for values in other files or arrays, for filters that HDF5 itself lacks (they would be loaded as plug-ins), and for an array
/// or a chunk of more than 64 MiB that needs more bytes than are stored of it, or in chunks, which may be compressed, more than 1,100 times
/// as many (deflate compresses 1,032 times at most: RFC 1951).
void check_origin(hid_t dataset, const std::string& what);

}  // namespace krossfold::storage::hdf5
