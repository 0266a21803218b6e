// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "krossfold/core/view.hpp"

namespace krossfold {

/// A matrix most of whose values are 0, in compressed sparse rows. Row i consists of the entries begin(i), ..., begin(i + 1) - 1, whose
/// columns ascend; what has no entry is 0. `begin(0)` is not 0 where the rows are a part of a larger matrix, with whose entries they
/// share memory.
template <class T, class Exec = Host>
struct SparseMatrix {
  Vector<const std::int64_t, Exec> begin;  ///< (rows + 1); empty if there is no matrix
  Vector<const int, Exec> column;          ///< (entry)
  Vector<const T, Exec> value;             ///< (entry)
  int columns = 0;

  int rows() const { return begin.extent(0) == 0 ? 0 : static_cast<int>(begin.extent(0)) - 1; }
};

/// The number of entries of a matrix in host memory.
template <class T>
std::int64_t entries_of(const SparseMatrix<T>& matrix) {
  return matrix.rows() == 0 ? 0 : matrix.begin(matrix.rows()) - matrix.begin(0);
}

/// The same entries with rows and columns exchanged; the new rows begin at 0. In host memory.
template <class T>
SparseMatrix<T> transposed(const SparseMatrix<T>& matrix) {
  const auto count = static_cast<std::size_t>(entries_of(matrix));
  const Vector<std::int64_t> begin("krossfold::core::sparse_begin", static_cast<std::size_t>(matrix.columns) + 1);
  const Vector<int> column(uninitialized("krossfold::core::sparse_column"), count);
  const Vector<T> value(uninitialized("krossfold::core::sparse_value"), count);
  for (std::int64_t e = matrix.begin(0); e < matrix.begin(matrix.rows()); ++e) ++begin(matrix.column(e) + 1);
  for (int j = 0; j < matrix.columns; ++j) begin(j + 1) += begin(j);
  std::vector<std::int64_t> next(begin.data(), begin.data() + matrix.columns);
  for (int i = 0; i < matrix.rows(); ++i) {
    for (std::int64_t e = matrix.begin(i); e < matrix.begin(i + 1); ++e) {
      const std::int64_t to = next[static_cast<std::size_t>(matrix.column(e))]++;
      column(to) = i;
      value(to) = matrix.value(e);
    }
  }
  return {begin, column, value, matrix.rows()};
}

}  // namespace krossfold
