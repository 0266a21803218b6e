// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Dimension scales as the HDF5 Dimension Scale Specification defines them, so that h5py and others find them. Not by the
// library hdf5_hl: it writes uninitialised bytes into the file, and to read it needs a heap that HDF5 does not check.

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/storage/container.hpp"
#include "krossfold/storage/hdf5.hpp"

namespace krossfold::storage::hdf5 {

/// Writes the attributes CLASS, NAME and REFERENCE_LIST of every scale that the arrays name and DIMENSION_LIST of every
/// array that names some; all the datasets are in the file.
void write_dimension_scales(hid_t file, const std::vector<const Array*>& arrays);

/// {reference to a dataset, dimension of it}: one element of the REFERENCE_LIST of a scale.
struct ScaleUse {
  hobj_ref_t dataset = 0;  ///< its address in the file
  std::uint32_t dimension = 0;
  std::uint32_t padding = 0;  ///< named so that it is written as zeros
};
Handle scale_use_type();

}  // namespace krossfold::storage::hdf5
