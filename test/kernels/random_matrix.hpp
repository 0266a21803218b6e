// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>

#include "krossfold/core/view.hpp"

namespace krossfold::test {

/// Seeds and shapes of the random cases; printed by GoogleTest when a case fails.
struct Shape {
  int m, n, k;
  unsigned seed;
};
inline void PrintTo(const Shape& s, std::ostream* out) {
  *out << "m=" << s.m << " n=" << s.n << " k=" << s.k << " seed=" << s.seed;
}

/// Values in [low, high], integers if `whole`.
template <class T>
Matrix<T> random_matrix(int rows, int columns, unsigned seed, double low, double high, bool whole = false) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  const Matrix<T> matrix("krossfold::test::random", rows, columns);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j)
      matrix(i, j) = static_cast<T>(whole ? std::nearbyint(uniform(engine)) : uniform(engine));
  }
  return matrix;
}

}  // namespace krossfold::test
