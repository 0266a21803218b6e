// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "krossfold/core/view.hpp"
#include "krossfold/svm/precise_kernel.hpp"

namespace krossfold::test {

/// Two overlapping clouds of points, on which nearly every support vector is at its bound.
struct Overlapping {
  Matrix<double> x;
  std::vector<int> y;

  Overlapping(int n, int features, unsigned seed) : x("krossfold::test::x", n, features) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (int i = 0; i < n; ++i) {
      y.push_back(i % 2 == 0 ? 1 : -1);
      for (int f = 0; f < features; ++f) x(i, f) = normal(random) + (f == 0 ? 0.7 * y.back() : 0.0);
    }
  }

  int size() const { return static_cast<int>(y.size()); }

  /// places: see svm::PreciseKernel.
  svm::PreciseKernel<Device> kernel(double gamma, int places = 0) const {
    svm::PreciseKernel<Device> made(
        Device(), size(), static_cast<double>(x.extent(1)), [points = points()] { return points; }, places);
    made.set_gamma(gamma);
    return made;
  }

  svm::Points<Device> points() const {
    svm::Points<Device> points;
    points.in_double = on_device<Device>(x);
    return points;
  }

  /// K by its definition.
  std::vector<double> exact(double gamma) const {
    std::vector<double> k;
    for (int i = 0; i < size(); ++i) {
      for (int j = 0; j < size(); ++j) {
        double d2 = 0;
        for (std::size_t f = 0; f < x.extent(1); ++f) d2 += (x(i, f) - x(j, f)) * (x(i, f) - x(j, f));
        k.push_back(std::exp(-gamma * d2));
      }
    }
    return k;
  }
};

}  // namespace krossfold::test
