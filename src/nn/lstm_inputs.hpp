// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Small kernels around the matrix products of an LstmNetwork.

#include <cstdint>

#include "krossfold/core/view.hpp"

namespace krossfold::nn {

/// out(t * count + w) = in(row(first + w) * steps + t) for count windows.
template <class Exec>
void gather_steps(const Exec& exec, const Vector<int, Exec>& out, const Vector<const int, Exec>& in,
                  const Vector<const int, Exec>& row, std::int64_t first, int count, int steps);

/// Transposes a rows x columns matrix: out(j * rows + i) = in(i * columns + j), or += if `add`.
template <class Exec>
void transpose(const Exec& exec, const Vector<float, Exec>& out, const Vector<const float, Exec>& in, int rows,
               int columns, bool add = false);

/// out(r, j) = table(symbol(r) * columns + j): the product of the symbols' one-hot matrix and the table.
template <class Exec>
void gather_rows(const Exec& exec, const Matrix<float, Exec>& out, const Vector<const float, Exec>& table,
                 const Vector<const int, Exec>& symbol);

/// sum(j) = a(j) + b(j).
template <class Exec>
void add_biases(const Exec& exec, const Vector<float, Exec>& sum, const Vector<const float, Exec>& a,
                const Vector<const float, Exec>& b);

/// out(i, j) = column(i).
template <class Exec>
void repeat_columns(const Exec& exec, const Matrix<float, Exec>& out, const Vector<const float, Exec>& column);

/// loss(w) = sum over t of step_loss(t * count + w), w < count.
template <class Exec>
void sum_over_steps(const Exec& exec, const Vector<double, Exec>& loss, const Vector<const double, Exec>& step_loss,
                    int count, int steps);

}  // namespace krossfold::nn
