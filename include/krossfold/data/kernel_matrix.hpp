// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"

namespace krossfold::data {

/// The samples of a kernel matrix, or some of them: sample i has its kernel value with sample j as the feature file_rows()[j] of both.
/// What differs only by rounding, |K_ij - K_ji| <= 1e-5 max(|K_ij|, |K_ji|, sqrt(K_ii K_jj)), becomes equal to the mean; the result
/// shares memory with `samples` if nothing differs. Throws an input error that names the first row and column where the matrix is not
/// symmetric, or if there is no feature for a sample.
///
/// warning: gets a sentence if the matrix cannot be positive semidefinite, because a diagonal element is negative or
/// K_ij^2 > K_ii K_jj by more than rounding.
Dataset symmetric_kernel_matrix(const Dataset& samples, std::vector<std::string>* warning = nullptr);

/// The same of the samples of a whole file, whose matrix must be square. Throws an input error otherwise.
Dataset whole_kernel_matrix(const Dataset& samples, std::vector<std::string>* warning = nullptr);

}  // namespace krossfold::data
