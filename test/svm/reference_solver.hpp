// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A plain reference solver with everything in double precision, no warm start and no shifted kernel, in the classic
// form with alpha, Q = y y^T K and gradient Q alpha - 1 (Fan, Chen, Lin 2005, as LIBSVM documents it).

#include <cmath>
#include <limits>
#include <vector>

namespace krossfold::test {

struct ReferenceFit {
  std::vector<double> alpha;
  double objective = 0;  ///< sum alpha - alpha^T Q alpha / 2
  double violation = 0;
};

/// kernel: n x n, row-major; y: +1 or -1; start: a feasible alpha, or empty to start from 0.
inline ReferenceFit solve_reference(const std::vector<double>& kernel, const std::vector<int>& y, double c,
                                    double tolerance, const std::vector<double>& start = {},
                                    long max_iterations = 50'000'000) {
  const std::size_t n = y.size();
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> alpha = start, gradient(n, -1.0);
  alpha.resize(n, 0.0);
  for (std::size_t s = 0; s < n; ++s) {
    for (std::size_t t = 0; alpha[s] != 0 && t < n; ++t) gradient[t] += y[t] * y[s] * alpha[s] * kernel[s * n + t];
  }
  ReferenceFit fit;
  for (long iteration = 0; iteration < max_iterations; ++iteration) {
    double up = -infinity, low = infinity;
    std::size_t i = n, j = n;
    for (std::size_t t = 0; t < n; ++t) {
      const double v = -y[t] * gradient[t];
      if ((y[t] > 0 ? alpha[t] < c : alpha[t] > 0) && v > up) {
        up = v;
        i = t;
      }
      if ((y[t] > 0 ? alpha[t] > 0 : alpha[t] < c) && v < low) low = v;
    }
    fit.violation = i == n || low == infinity ? 0.0 : up - low;
    if (fit.violation <= tolerance) break;
    double best = -infinity;
    for (std::size_t t = 0; t < n; ++t) {
      const double d = up + y[t] * gradient[t];
      if (!(y[t] > 0 ? alpha[t] > 0 : alpha[t] < c) || d <= 0) continue;
      const double a = std::fmax(kernel[i * n + i] + kernel[t * n + t] - 2 * kernel[i * n + t], 1e-12);
      if (d * d / a > best) {
        best = d * d / a;
        j = t;
      }
    }
    const double a = std::fmax(kernel[i * n + i] + kernel[j * n + j] - 2 * kernel[i * n + j], 1e-12);
    double step = (up + y[j] * gradient[j]) / a;
    step = std::fmin(step, y[i] > 0 ? c - alpha[i] : alpha[i]);
    step = std::fmin(step, y[j] > 0 ? alpha[j] : c - alpha[j]);
    alpha[i] += y[i] * step;
    alpha[j] -= y[j] * step;
    for (std::size_t t = 0; t < n; ++t) gradient[t] += y[t] * step * (kernel[i * n + t] - kernel[j * n + t]);
  }
  for (std::size_t t = 0; t < n; ++t) fit.objective += 0.5 * alpha[t] * (1.0 - gradient[t]);
  fit.alpha = alpha;
  return fit;
}

}  // namespace krossfold::test
