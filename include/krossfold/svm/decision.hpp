// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

namespace krossfold::svm {

/// Decision values of many machines at once: value(r, s) = sum_i coefficient(s, i) kernel(row[r], column[i]) + bias(s),
/// in double, with one GEMM per block of 1024 rows. `kernel` holds K - 1; the coefficients of a set must sum to zero.
/// value: rows x sets, coefficient: sets x (entries of column).
template <class Exec>
void decision_values(const Exec& exec, const Matrix<double, Exec>& value, const Matrix<const float, Exec>& kernel,
                     const Vector<const int, Exec>& row, const Vector<const int, Exec>& column,
                     const Matrix<const double, Exec>& coefficient, const Vector<const double, Exec>& bias);

}  // namespace krossfold::svm
