// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// out(r, c) = in(row[r], column[c]), converted to T. The shape of `out` is length of row x length of column.
template <class Exec, class T>
void gather(const Exec& exec, const Matrix<T, Exec>& out, const Matrix<const float, Exec>& in,
            const Vector<const int, Exec>& row, const Vector<const int, Exec>& column);

}  // namespace krossfold::kernels
