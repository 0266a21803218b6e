// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
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

/// Whether `begin` may be that of a whole matrix with so many entries: it begins at 0, does not descend and ends with them.
inline bool are_row_begins(const std::vector<std::int64_t>& begin, std::size_t entries) {
  return !begin.empty() && begin.size() <= std::size_t{std::numeric_limits<int>::max()} && begin.front() == 0 &&
         begin.back() == static_cast<std::int64_t>(entries) && std::is_sorted(begin.begin(), begin.end());
}

/// The matrix of these lists. Precondition: are_row_begins(); first_bad_row() tells of the columns.
template <class T>
SparseMatrix<T> sparse_matrix_of(const std::vector<std::int64_t>& begin, const std::vector<int>& column,
                                 const std::vector<T>& value, int columns) {
  const Vector<std::int64_t> begins(uninitialized("krossfold::core::sparse_begin"), begin.size());
  const Vector<int> places(uninitialized("krossfold::core::sparse_column"), column.size());
  const Vector<T> values(uninitialized("krossfold::core::sparse_value"), value.size());
  std::copy(begin.begin(), begin.end(), begins.data());
  std::copy(column.begin(), column.end(), places.data());
  std::copy(value.begin(), value.end(), values.data());
  return {begins, places, values, columns};
}

/// The first row whose entries are not there, or whose columns are out of range or do not ascend; -1 if there is none. In host memory.
template <class T>
int first_bad_row(const SparseMatrix<T>& matrix) {
  const auto entries = static_cast<std::int64_t>(std::min(matrix.column.extent(0), matrix.value.extent(0)));
  for (int i = 0; i < matrix.rows(); ++i) {
    const std::int64_t first = matrix.begin(i), last = matrix.begin(i + 1);
    if (first < 0 || first > last || last > entries) return i;
    int previous = -1;
    for (std::int64_t e = first; e < last; ++e) {
      if (matrix.column(e) <= previous || matrix.column(e) >= matrix.columns) return i;
      previous = matrix.column(e);
    }
  }
  return -1;
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
