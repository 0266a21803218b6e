// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/poll.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// Rows and columns of the tiles in which products are formed. Tiles start at multiples of it whatever part of a matrix
/// is asked for, so that an element has the same bits in every mode.
inline constexpr int distance_tile = 512;

/// True if |x| <= bound whole-number features give scalar products that float holds exactly in any order of summation:
/// features * bound^2 <= 2^24. MNIST pixels minus 128 are inside (784 * 128^2 = 12.8 million).
bool exact_in_float(double bound, int features);

/// Squared Euclidean distances d2(i, j) = |x_i - y_j|^2 = |x_i|^2 + |y_j|^2 - 2 x_i . y_j, d2: m x n, x: m x d, y: n x d.
///
/// Norms and products are formed in T by GEMM, the sum in double, negative results become 0. Exact up to the final
/// rounding to float when all sums are whole numbers that T holds. Polls before each tile.
/// Throws a run error if the shapes do not fit.
template <class Exec, class T>
void squared_distance(const Exec& exec, const Matrix<float, Exec>& d2, const Matrix<const T, Exec>& x,
                      const Matrix<const T, Exec>& y, const Poll& poll = {});

/// One of several parts of the work on a symmetric matrix: the rows of tiles number index, index + count, ....
struct TileShare {
  int index = 0, count = 1;
};

/// The same for y = x: only tiles on and below the diagonal are formed, so d2 is exactly symmetric; its diagonal is 0.
/// Processes that share d2 in memory may each do a part of the work.
template <class Exec, class T>
void squared_distance(const Exec& exec, const Matrix<float, Exec>& d2, const Matrix<const T, Exec>& x,
                      const TileShare& share = {}, const Poll& poll = {});

/// Rows first ... first + d2.extent(0) - 1 of that symmetric matrix, with the same bits. `first` is a multiple of
/// distance_tile, and the rows are at most that many: those of one row of tiles.
template <class Exec, class T>
void squared_distance_band(const Exec& exec, const Matrix<float, Exec>& d2, const Matrix<const T, Exec>& x, int first,
                           const Poll& poll = {});

}  // namespace krossfold::kernels
