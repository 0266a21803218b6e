// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

// Products with some of many short rows of T (m, r), such as a factor of a kernel matrix with a row for each sample. Each reads no other rows
// than those that it is told.

namespace krossfold::kernels {

inline constexpr int listed_block = 64;  ///< rows whose sum is formed together
inline int listed_blocks(int rows) { return (rows + listed_block - 1) / listed_block; }

/// out_i = sum_r t(i, r) p_r for all rows. Bytes: 8 m r.
template <class Exec>
void multiply_rows(const Exec& exec, const Matrix<const double, Exec>& t, const Vector<const double, Exec>& p,
                   const Vector<double, Exec>& out);

/// out_r += sum_k value(list_k) t(list_k, r) over the first `count` of the list, in blocks of 64 that are added up in order.
/// value: (m); partial: (listed_blocks(count), r) at least, for the blocks.
template <class Exec>
void add_listed_rows(const Exec& exec, const Matrix<const double, Exec>& t, const Vector<const int, Exec>& list,
                     int count, const Vector<const double, Exec>& value, const Matrix<double, Exec>& partial,
                     const Vector<double, Exec>& out);

}  // namespace krossfold::kernels
