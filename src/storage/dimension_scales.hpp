// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Writes dimension scales as defined by the HDF5 Dimension Scale Specification, for h5py and other readers. The library
// hdf5_hl is not used: it writes uninitialised bytes to the file, and reads from a heap that HDF5 does not check.

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/storage/container.hpp"
#include "krossfold/storage/hdf5.hpp"

namespace krossfold::storage::hdf5 {

/// Writes the attributes CLASS, NAME and REFERENCE_LIST of every scale that the arrays refer to, and DIMENSION_LIST of
/// every array with scales. All datasets must already be in the file.
void write_dimension_scales(hid_t file, const std::vector<const Array*>& arrays);

/// One element of a scale's REFERENCE_LIST: {reference to a dataset, dimension}.
struct ScaleUse {
  hobj_ref_t dataset = 0;  ///< address in the file
  std::uint32_t dimension = 0;
  std::uint32_t padding = 0;  ///< explicit, so that it is written as zeros
};
Handle scale_use_type();

}  // namespace krossfold::storage::hdf5
