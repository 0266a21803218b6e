// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

namespace krossfold::svm {

/// Decision values of many machines at once, from the entries of `kernel` as they are stored:
///   value(r, s) = sum_i coefficient(s, i) kernel(row[r], column[i]) + bias(s).
/// With `kernel` = K - 1 (kernels::rbf_minus_one), value(r, s) is the decision value
/// sum_i coefficient(s, i) K(row[r], column[i]) + bias(s) minus sum_i coefficient(s, i): the two are equal only if the
/// coefficients of set s sum to zero, as y alpha does. This is not checked.
/// In double, with one GEMM per block of 1024 rows. value: rows x sets, coefficient: sets x (entries of column).
template <class Exec>
void decision_values(const Exec& exec, const Matrix<double, Exec>& value, const Matrix<const float, Exec>& kernel,
                     const Vector<const int, Exec>& row, const Vector<const int, Exec>& column,
                     const Matrix<const double, Exec>& coefficient, const Vector<const double, Exec>& bias);

}  // namespace krossfold::svm
