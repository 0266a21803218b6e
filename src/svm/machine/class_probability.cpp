// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/class_probability.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace krossfold::svm {

namespace {

/// Sigmoids divided by their sum, computed from logarithms because all of them may underflow to 0.
std::vector<double> normalised_sigmoids(int classes, const std::vector<Sigmoid>& sigmoid, const double* decision) {
  std::vector<double> p(classes);
  for (int c = 0; c < classes; ++c) p[c] = sigmoid[c].log_probability(decision[c]);
  const double largest = *std::max_element(p.begin(), p.end());
  double sum = 0;
  for (double& value : p) sum += value = std::exp(value - largest);
  for (double& value : p) value /= sum;
  return p;
}

/// Solves M x = (1, ..., 1), M symmetric positive definite of order n, by an in-place Cholesky factorisation.
std::vector<double> solve_for_ones(std::vector<double> m, int n) {
  const auto at = [n](int row, int column) { return static_cast<std::size_t>(row) * n + column; };
  std::vector<double> x(n, 1.0);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      for (int k = 0; k < j; ++k) m[at(i, j)] -= m[at(i, k)] * m[at(j, k)];
      m[at(i, j)] = i == j ? std::sqrt(m[at(i, i)]) : m[at(i, j)] / m[at(j, j)];
    }
    for (int k = 0; k < i; ++k) x[i] -= m[at(i, k)] * x[k];
    x[i] /= m[at(i, i)];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) x[i] -= m[at(k, i)] * x[k];
    x[i] /= m[at(i, i)];
  }
  return x;
}

}  // namespace

std::vector<double> couple_pairs(int classes, const std::vector<double>& pair) {
  const auto at = [classes](int a, int b) { return static_cast<std::size_t>(a) * classes + b; };
  // The objective is p^T Q p. Q may be singular; Q + 1 1^T is not and adds a constant 1 where p sums to 1. The minimum
  // satisfies (Q + 1 1^T) p = lambda 1.
  std::vector<double> m(at(classes, 0), 1.0);
  const auto pairs = class_pairs(classes);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const auto [a, b] = pairs[k];
    const double r_ab = pair[k], r_ba = 1 - pair[k];
    m[at(a, a)] += r_ba * r_ba;
    m[at(b, b)] += r_ab * r_ab;
    m[at(a, b)] = m[at(b, a)] -= r_ab * r_ba;
  }
  std::vector<double> p = solve_for_ones(std::move(m), classes);
  double sum = 0;
  for (double& value : p) sum += value = std::max(value, 0.0);  // negative values are rounding errors
  for (double& value : p) value /= sum;
  return p;
}

std::vector<double> class_probabilities(Multiclass kind, int classes, const std::vector<Sigmoid>& sigmoid,
                                        const double* decision) {
  if (kind == Multiclass::one_vs_rest) return normalised_sigmoids(classes, sigmoid, decision);
  constexpr double least = 1e-7;
  std::vector<double> pair(sigmoid.size());
  for (std::size_t k = 0; k < pair.size(); ++k) {
    pair[k] = std::clamp(sigmoid[k].probability(decision[k]), least, 1 - least);
  }
  return couple_pairs(classes, pair);
}

}  // namespace krossfold::svm
