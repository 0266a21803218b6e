// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/poll.hpp"
#include "krossfold/core/sparse_matrix.hpp"

namespace krossfold::kernels {

/// Sparse samples ready for distances to one another.
template <class Exec>
struct SparseSamples {
  SparseMatrix<double, Exec> rows;     ///< (sample, feature)
  SparseMatrix<double, Exec> columns;  ///< (feature, sample): the same entries, transposed
  Vector<double, Exec> norm;           ///< (sample): |x|^2

  int size() const { return static_cast<int>(norm.extent(0)); }
};

/// Moves a matrix in host memory to Exec, in both orders and with the norms of its rows.
template <class Exec>
SparseSamples<Exec> make_sparse_samples(const SparseMatrix<double>& rows);

/// Which rows of a matrix: list(0), list(1), ... if there is a list, else first, first + 1, ....
template <class Exec>
struct RowChoice {
  int first = 0;
  Vector<const int, Exec> list{};

  KOKKOS_INLINE_FUNCTION int operator()(int k) const {
    return list.extent(0) == 0 ? first + k : list(static_cast<std::size_t>(k));
  }
};

/// d2(k, j) = |x_i - y_j|^2 for i = choice(k) and d2.extent(0) rows: |x_i|^2 + |y_j|^2 - 2 x_i . y_j in double, negative results become 0.
///
/// A row takes one pass over the entries of the columns in which x_i has an entry, so that all products are of two entries; their
/// number for a whole matrix is the sum over the columns of the square of their entries. An element is the sum of its products in
/// the order of the features, whatever else is computed: it has the same bits alone, in a list and in the whole matrix, and is
/// symmetric in x and y. Sums of whole numbers below 2^53 are exact.
///
/// With T = double, an element below a thousandth of |x_i|^2 + |y_j|^2 is computed from the differences of the entries, so that near
/// samples lose no digits.
///
/// Polls every few dozen rows. Throws a run error if the shapes do not match.
template <class Exec, class T>
void sparse_distance(const Exec& exec, const Matrix<T, Exec>& d2, const SparseSamples<Exec>& x,
                     const RowChoice<Exec>& choice, const SparseSamples<Exec>& y, const Poll& poll = {});

}  // namespace krossfold::kernels
