// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// choice(s, i) = the class c < classes with the largest value(s * classes + c, i); ties go to the lowest class.
/// value: (sets * classes) x n, choice: sets x n.
template <class Exec>
void largest_class(const Exec& exec, const Matrix<int, Exec>& choice, const Matrix<const double, Exec>& value,
                   int classes);

/// wrong(s) = the number of i with choice(s, i) != label(i).
template <class Exec>
void count_wrong(const Exec& exec, const Vector<int, Exec>& wrong, const Matrix<const int, Exec>& choice,
                 const Vector<const int, Exec>& label);

}  // namespace krossfold::kernels
