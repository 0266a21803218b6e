// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos.

#include <string>

#include "krossfold/interchange/export_model.hpp"
#include "krossfold/interchange/libsvm_data.hpp"

namespace krossfold::interchange {

/// Makes a model file `output` of a file in the format that its end names: .model (LIBSVM) or .npz (NumPy, see npz_model.hpp).
/// Several networks of one file make a folder `output`, which appears once it is whole. For a LIBSVM model FILE.model, `libsvm` says what
/// it does not; if that names no range file or file of labels, FILE.range and FILE.labels are taken if they are there, and "none" takes
/// neither.
/// Throws an input error for another end, if `output` exists already, if `libsvm` says something of a .npz file, and for what is wrong
/// in the file.
Written import_model(const std::string& file, const std::string& output, const LibsvmData& libsvm);

}  // namespace krossfold::interchange
