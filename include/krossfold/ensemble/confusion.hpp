// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

namespace krossfold::ensemble {

/// count(t, c) = the number of samples of class t (label) that were taken for class c (choice); (true class, chosen class),
/// square. Its sum is the number of samples, its diagonal what is right. Throws a run error for no samples, lengths that
/// differ, or a label or choice that is no class.
template <class Exec>
void confusion(const Exec& exec, const Matrix<int, Exec>& count, const Vector<const int, Exec>& choice,
               const Vector<const int, Exec>& label);

}  // namespace krossfold::ensemble
