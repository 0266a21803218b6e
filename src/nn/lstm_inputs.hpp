// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Small kernels around the matrix products of an LstmNetwork.

#include <cstdint>

#include "krossfold/core/view.hpp"
#include "krossfold/nn/lstm_network.hpp"

namespace krossfold::nn {

/// symbol(t * count + w) = windows.symbol(row(first + w) * steps + t) for count windows, and next() as well.
template <class Exec>
void gather_steps(const Exec& exec, const Vector<int, Exec>& symbol, const Vector<int, Exec>& next,
                  const Windows<Exec>& windows, const Vector<const int, Exec>& row, std::int64_t first, int count,
                  int steps);

/// What the kernels of a network read instead of its weights (LstmNetwork::weight()), in one launch.
template <class Exec>
struct LstmTables {
  Vector<float, Exec> symbol;  ///< the first layer's input weights by symbol: (symbol, 4 hidden)
  Vector<float, Exec> bias;    ///< the sum of a layer's two biases: (layer, 4 hidden)
  Vector<float, Exec>
      recurrent;  ///< the recurrent weights, transposed: (layer, hidden, 4 hidden); none where lstm_steps() has no teams
};
template <class Exec>
void fill_tables(const Exec& exec, const LstmTables<Exec>& tables, const Vector<const float, Exec>& weight,
                 const LstmArchitecture& architecture);

/// out(r, j) = table(symbol(r) * columns + j): the product of the symbols' one-hot matrix and the table.
template <class Exec>
void gather_rows(const Exec& exec, const Matrix<float, Exec>& out, const Vector<const float, Exec>& table,
                 const Vector<const int, Exec>& symbol);

/// out(i, j) = column(i).
template <class Exec>
void repeat_columns(const Exec& exec, const Matrix<float, Exec>& out, const Vector<const float, Exec>& column);

/// loss(w) = sum over t of step_loss(t * count + w), w < count.
template <class Exec>
void sum_over_steps(const Exec& exec, const Vector<double, Exec>& loss, const Vector<const double, Exec>& step_loss,
                    int count, int steps);

}  // namespace krossfold::nn
