// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/poll.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// Rows and columns of the tiles in which products are computed. Tiles start at multiples of it whichever part of a
/// matrix is requested, so that an element is bitwise identical in every mode.
inline constexpr int distance_tile = 512;

/// True if scalar products of integer features with |x| <= bound are exact in float for any order of summation:
/// features * bound^2 <= 2^24. MNIST pixels minus 128 qualify (784 * 128^2 = 12.8 million).
bool exact_in_float(double bound, int features);

/// Squared Euclidean distances d2(i, j) = |x_i - y_j|^2 = |x_i|^2 + |y_j|^2 - 2 x_i . y_j. d2: m x n, x: m x d,
/// y: n x d.
///
/// Norms and products (by GEMM) are computed in T and added in double; negative results become 0. Results are exact up
/// to the final rounding to float if all sums are integers that T represents exactly. Polls before each tile.
/// Throws a run error if the shapes do not match.
template <class Exec, class T>
void squared_distance(const Exec& exec, const Matrix<float, Exec>& d2, const Matrix<const T, Exec>& x,
                      const Matrix<const T, Exec>& y, const Poll& poll = {});

/// A share of the work on a symmetric matrix: the tile rows index, index + count, ....
struct TileShare {
  int index = 0, count = 1;
};

/// The same for y = x: only tiles on and below the diagonal are computed, so d2 is exactly symmetric with a zero
/// diagonal. Processes that share the memory of d2 may each compute a share.
template <class Exec, class T>
void squared_distance(const Exec& exec, const Matrix<float, Exec>& d2, const Matrix<const T, Exec>& x,
                      const TileShare& share = {}, const Poll& poll = {});

/// Rows first ... first + d2.extent(0) - 1 of that symmetric matrix, bitwise identical. `first` must be a multiple of
/// distance_tile and the number of rows at most distance_tile: they belong to one tile row.
template <class Exec, class T>
void squared_distance_band(const Exec& exec, const Matrix<float, Exec>& d2, const Matrix<const T, Exec>& x, int first,
                           const Poll& poll = {});

}  // namespace krossfold::kernels
