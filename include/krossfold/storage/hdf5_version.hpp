// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace krossfold::storage {

/// Version of the HDF5 headers that this program was compiled with; that of the library in use is hdf5_version()
/// (container.hpp). HDF5 ends a program for which they differ.
std::string hdf5_header_version();

}  // namespace krossfold::storage
