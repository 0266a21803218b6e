// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

}  // namespace krossfold::test
