// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "krossfold/svm/dual_problem.hpp"
#include "test/svm/small_problem.hpp"

namespace krossfold::test {

inline svm::DualProblems<Device> problem_of(const std::vector<int>& y, const std::vector<double>& weight = {}) {
  Vector<const double, Device> weights;
  if (!weight.empty()) {
    const Vector<double> host("w", weight.size());
    std::copy(weight.begin(), weight.end(), host.data());
    weights = on_device<Device>(host);
  }
  return svm::make_problems<Device>(Device(), signs_of({y}), weights);
}

/// Gradient, violation and objective by their definitions.
struct Checked {
  double violation, objective, sum;
  int bounded, free;
};

inline Checked check(const std::vector<double>& kernel, const std::vector<int>& y, const std::vector<double>& beta,
                     const std::vector<double>& upper) {
  const int n = static_cast<int>(y.size());
  double high = -HUGE_VAL, low = HUGE_VAL;
  Checked found{0, 0, 0, 0, 0};
  for (int i = 0; i < n; ++i) {
    if (y[i] == 0 || upper[i] == 0) {
      EXPECT_EQ(beta[i], 0.0) << i;
      continue;
    }
    double g = y[i];
    for (int j = 0; j < n; ++j) g -= kernel[static_cast<std::size_t>(i) * n + j] * beta[j];
    const double alpha = y[i] * beta[i];
    EXPECT_GE(alpha, 0) << i;
    EXPECT_LE(alpha, upper[i]) << i;
    if (y[i] > 0 ? alpha < upper[i] : alpha > 0) high = std::max(high, g);
    if (y[i] > 0 ? alpha > 0 : alpha < upper[i]) low = std::min(low, g);
    found.objective += 0.5 * beta[i] * (y[i] + g);
    found.sum += beta[i];
    found.bounded += alpha == upper[i] ? 1 : 0;
    found.free += alpha > 0 && alpha < upper[i] ? 1 : 0;
  }
  found.violation = high - low;
  return found;
}

inline std::vector<double> row_of(const Matrix<double, Device>& matrix) {
  const auto host = on_host(matrix);
  return {&host(0, 0), &host(0, 0) + host.extent(1)};
}

/// A problem at C in which a fifth of the samples take no part, and others have weights of 0 to 2.5.
struct PartlyWeighted {
  std::vector<int> y;
  std::vector<double> weight, upper;

  PartlyWeighted(const std::vector<int>& all, double c) : y(all) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (i % 5 == 0) y[i] = 0;
      weight.push_back(i % 7 == 0 ? 0.0 : 0.5 + static_cast<double>(i % 3));
      upper.push_back(c * weight.back());
    }
  }
};

/// Weights of 1, but for one in 24.
inline std::vector<double> weights_with_heavy_ones(int n, double heavy) {
  std::vector<double> weight(n, 1.0);
  for (int i = 0; i < n; i += 24) weight[i] = heavy;
  return weight;
}

/// No variable has moved.
inline void expect_untouched(const svm::DualProblems<Device>& duals) {
  EXPECT_EQ(row_of(duals.beta), std::vector<double>(duals.samples(), 0.0));
}

}  // namespace krossfold::test
