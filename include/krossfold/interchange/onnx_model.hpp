// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Models as graphs of ONNX (https://onnx.ai), with standard operators of operator set 17; docs/export.md has inputs and outputs.

#include <cstddef>
#include <string>
#include <vector>

#include "krossfold/model/load_model.hpp"

namespace krossfold::interchange {

/// The ONNX file of an SVM. Input X, float (N, features), or (N, channels, height, width) of a model of images, not scaled. Outputs:
/// label (N), the class names as strings, or int64 if all are whole numbers; decision, double (N, problem), in the order of
/// svm::problem_names(); and, of a calibrated machine, probability, double (N, class). It is computed in double.
/// Throws an input error that names `name` if the file would be larger than 2 GiB.
std::vector<std::byte> onnx_of(const svm::Machine& machine, const std::string& name);

/// The ONNX file of networks. Input X as above. Outputs: label (N), the class with the most votes; probability, float (N, class), the
/// mean over the networks; and, of several, votes, int64 (N, class), and member_probability, float (network, N, class).
std::vector<std::byte> onnx_of(const model::Networks& networks, const std::string& name);

/// The ONNX file of a character model. Input symbols, int64 (N, step), numbers in the alphabet, which is in the metadata. Outputs:
/// logits and probability, float (N, step, symbol), of the symbol that follows.
std::vector<std::byte> onnx_of(const model::LstmModel& model, const std::string& name);

}  // namespace krossfold::interchange
