// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos.

#include <string>
#include <vector>

namespace krossfold::interchange {

/// What an export or import has written.
struct Written {
  std::vector<std::string> files;
  std::vector<std::string> notes;  ///< sentences for the user: what is in them, what to run
};

/// Writes the model that the path `model` denotes (see model::find_models()) in the format that the end of `output` names: .model
/// (LIBSVM), .onnx or .npz (NumPy). A LIBSVM model may need a range file and a file of labels, which get the same name with .range
/// and .labels. Throws an input error for another end, if one of the files exists already, even one that this model does
/// not need, and for a model that the format cannot hold.
Written export_model(const std::string& model, const std::string& output);

}  // namespace krossfold::interchange
