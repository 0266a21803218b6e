// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Samples most of whose values are 0: Dataset::sparse instead of Dataset::raw.

#include <string>
#include <vector>

#include "krossfold/core/sparse_matrix.hpp"
#include "krossfold/data/dataset.hpp"

namespace krossfold::data {

/// Like make_dataset() of a dense matrix; the digest, `integer`, `lowest` and `highest` are those of the dense form. Throws the same
/// errors, and a run error if the rows do not lie one after the other or a column is out of range or does not ascend.
Dataset make_sparse_dataset(std::string name, const SparseMatrix<float>& values, Vector<const int> label,
                            std::vector<std::string> class_name);

/// Whether a file of that many samples and features stays sparse: if its dense form has at least 4 million values, of which at most a
/// tenth are entries. Below either limit the dense form costs little memory, and its products are the faster ones.
bool stays_sparse(std::uint64_t samples, std::uint64_t features, std::uint64_t entries);

/// A copy of the rows named by `list`, in this order; possibly none. Precondition: each is in range.
SparseMatrix<float> pick_rows(const SparseMatrix<float>& from, const std::vector<int>& list);

/// The values of dense or sparse samples in sparse form, without the zeros of a dense one.
SparseMatrix<float> sparse_values(const Dataset& samples);

/// The most features of a libsvm file, and of a model of sparse samples.
inline constexpr int most_sparse_features = 10'000'001;

/// How large a dense form may be that is made of sparse samples: 4 GiB.
inline constexpr std::uint64_t most_dense_bytes = std::uint64_t{4} << 30;

/// The values in dense form, for what is computed from all of them. Throws an input error that says how large they are and that
/// `what` ("a network") needs them so if the dense form of sparse samples exceeds `limit` bytes.
Matrix<const float> dense_values(const Dataset& samples, const std::string& what, std::uint64_t limit);

}  // namespace krossfold::data
