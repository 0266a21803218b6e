// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Models as arrays of NumPy; docs/export.md describes all arrays.

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "krossfold/model/load_model.hpp"

namespace krossfold::interchange {

/// The .npz file of an SVM with the names and conventions of scikit-learn's SVC and StandardScaler: with x = (raw - mean_) / scale_ and
/// K = K(x, support_vectors_), decision values are K dual_coef_^T + intercept_. Support vectors are scaled and ordered by class.
/// Two classes: one value, above 0 for classes_[1]. One-vs-rest of more: dual_coef_ has a row for each class. One-vs-one of k classes:
/// k - 1 rows, as in LIBSVM, and intercept_ a number for each pair. Sparse support vectors are the arrays support_vectors_data,
/// _indices, _indptr and _shape (compressed rows), and mean_ is 0, because distances do not depend on it.
std::vector<std::byte> npz_of(const svm::Machine& machine, const std::string& name);

/// The .npz file of networks with the names of PyTorch's state_dict: conv.weight, conv.bias, dense.0.weight, ...; those of several
/// begin with 0., 1., .... Throws an input error that names `name` if they have different scales.
std::vector<std::byte> npz_of(const model::Networks& networks, const std::string& name);

/// The .npz file of a character model with the names of a module that has lstm = torch.nn.LSTM(...) and dense = torch.nn.Linear(...);
/// `known` has the digests of its training names, 32 bits a number.
std::vector<std::byte> npz_of(const model::LstmModel& model);

using NpzModel = std::variant<svm::Machine, std::vector<model::NetworkModel>, model::LstmModel>;

/// The SVM, the networks or the character model of a .npz file: one that npz_of() made, or one with the arrays that define the model (docs/export.md).
/// Throws an input error that names file and array if one is missing or does not fit, or if a
/// parameter (an array with a point in its name) is of no layer that the model has.
/// `difference`, if given, becomes that of an SVM as in machine_from_libsvm(), and 0 for other models.
NpzModel model_from_npz(std::span<const std::byte> bytes, const std::string& name, double* difference = nullptr);

}  // namespace krossfold::interchange
