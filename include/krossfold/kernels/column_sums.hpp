// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// Rows are summed in blocks of this size, and the blocks in order (on devices a block in parts, and up to 1,024 rows at once), so that
/// results are bitwise independent of the thread count and rounding errors hardly grow with the number of rows.
inline constexpr int sum_block = 256;
inline constexpr std::int64_t sum_blocks(std::int64_t rows) { return (rows + sum_block - 1) / sum_block; }

/// sum(c) = sum over rows r of x(r, c), or sum(c) += it if `add`. `same`, if given, gets the same numbers as sum.
/// partial: workspace, sum_blocks(rows) * columns floats; a device sums all rows at once without it.
template <class Exec>
void column_sums(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& x, bool add,
                 const Vector<float, Exec>& partial, const Vector<float, Exec>& same = {});

/// sum(c, k) = sum of x(r, c) over the rows with symbol(r) = k < symbols, or sum(c, k) += it if `add`: x transposed times
/// the one-hot matrix of `symbol`. sum: c * symbols + k; partial: workspace, sum_blocks(rows) * symbols * columns floats.
template <class Exec>
void symbol_sums(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& x,
                 const Vector<const int, Exec>& symbol, int symbols, bool add, const Vector<float, Exec>& partial);

}  // namespace krossfold::kernels
