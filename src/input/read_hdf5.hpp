// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krossfold/tables/table.hpp"

namespace krossfold::input {

/// Samples and labels in arrays of any HDF5 file: those at the paths `x` and `y`, as tables::read_npy() takes them from .npy files.
/// If `y` is "", the labels are a column of x. If `x` is "" too, it is /x, with the labels in /y if there is such an array.
/// x is (sample, feature), (sample), or (sample, row, column), which makes the samples images. Values that equal a number
/// of the attributes _FillValue and missing_value of netCDF, or that lie outside of valid_range, valid_min or valid_max, are missing; one of
/// these that holds no number is warned of, and so are unsigned numbers that netCDF reads where nothing was ever written. Arrays are read in pieces of a few MiB.
/// Throws an input error that names file, array, row and column; one that lists the arrays of the file for a path that is not
/// there; and one for packed values (scale_factor, add_offset), signed whole numbers that netCDF never wrote, and text and empty arrays of MATLAB.
tables::Table read_hdf5(const std::string& file, const std::string& x, const std::string& y,
                        const tables::TableParams& params, const tables::TableEncoding* encoding);

}  // namespace krossfold::input
