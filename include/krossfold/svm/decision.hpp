// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "krossfold/core/view.hpp"

namespace krossfold::svm {

/// Of how many samples the kernel values with so many support vectors are formed at a time: at most 1,024, and as few as make a million
/// values, but at least 64.
inline int decision_block(int vectors) { return std::clamp((1 << 20) / std::max(1, vectors), 64, 1024); }

/// Bytes that the decision values of so many samples take meanwhile: the kernel values in float, then in double.
inline std::uint64_t decision_memory(int samples, int vectors) {
  return static_cast<std::uint64_t>(std::min(samples, decision_block(vectors))) * static_cast<std::uint64_t>(vectors) *
         (sizeof(float) + sizeof(double));
}

/// Decision values of many machines at once, from the entries of `kernel` as they are stored:
///   value(r, s) = sum_i coefficient(s, i) kernel(row[r], column[i]) + bias(s).
/// With `kernel` = K - 1 (kernels::rbf_minus_one), value(r, s) is the decision value
/// sum_i coefficient(s, i) K(row[r], column[i]) + bias(s) minus sum_i coefficient(s, i): the two are equal only if the
/// coefficients of set s sum to zero, as y alpha does. This is not checked.
/// In double, with one GEMM per block of decision_block() rows. value: rows x sets, coefficient: sets x (entries of column).
template <class Exec>
void decision_values(const Exec& exec, const Matrix<double, Exec>& value, const Matrix<const float, Exec>& kernel,
                     const Vector<const int, Exec>& row, const Vector<const int, Exec>& column,
                     const Matrix<const double, Exec>& coefficient, const Vector<const double, Exec>& bias);

}  // namespace krossfold::svm
