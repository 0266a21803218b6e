// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

namespace krossfold::ensemble {

/// The confusion matrix: count(t, c) = the number of samples of class t (label) that were assigned to class c (choice);
/// (true class, chosen class), square. Throws a run error for no samples, different lengths, or a label or choice that
/// is not a class.
template <class Exec>
void confusion(const Exec& exec, const Matrix<int, Exec>& count, const Vector<const int, Exec>& choice,
               const Vector<const int, Exec>& label);

}  // namespace krossfold::ensemble
