// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <random>
#include <span>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/ensemble/members.hpp"

namespace krossfold::test {

/// Shapes of the random cases: edge cases first (one model, sample or class), then some beyond one block of samples.
struct Shape {
  int models, samples, classes;
  unsigned seed;
};
inline void PrintTo(const Shape& s, std::ostream* out) {
  *out << s.models << " models, " << s.samples << " samples, " << s.classes << " classes, seed " << s.seed;
}
inline const std::vector<Shape> shapes = {{1, 1, 1, 1},   {1, 7, 3, 2},     {5, 1, 4, 3},    {3, 9, 1, 4},
                                          {2, 256, 2, 5}, {12, 257, 10, 6}, {7, 1000, 5, 7}, {33, 65, 26, 8}};

/// Probabilities whose rows sum to 1; some are exactly 0, and some rows are certain of one class.
inline Cube<float> random_probability(const Shape& shape) {
  std::mt19937 engine(shape.seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  const Cube<float> p("krossfold::test::probability", shape.models, shape.samples, shape.classes);
  std::vector<double> row(shape.classes);
  for (int m = 0; m < shape.models; ++m) {
    for (int i = 0; i < shape.samples; ++i) {
      double sum = 0;
      for (double& value : row) sum += value = uniform(engine) < 0.2 ? 0 : std::pow(uniform(engine), 4);
      const int certain = static_cast<int>(engine() % static_cast<unsigned>(shape.classes));
      for (int c = 0; c < shape.classes; ++c) {
        p(m, i, c) = static_cast<float>(sum > 0 ? row[c] / sum : c == certain ? 1.0 : 0.0);
      }
    }
  }
  return p;
}

inline Vector<int> random_label(const Shape& shape) {
  std::mt19937 engine(shape.seed + 1000);
  const Vector<int> label("krossfold::test::label", shape.samples);
  for (int i = 0; i < shape.samples; ++i) {
    label(i) = static_cast<int>(engine() % static_cast<unsigned>(shape.classes));
  }
  return label;
}

/// p[model][sample][class] as a view on the host.
using Nested = std::vector<std::vector<std::vector<float>>>;
inline Cube<float> cube_of(const Nested& p) {
  const Cube<float> cube("krossfold::test::probability", p.size(), p[0].size(), p[0][0].size());
  for (std::size_t m = 0; m < p.size(); ++m) {
    for (std::size_t i = 0; i < p[m].size(); ++i) {
      for (std::size_t c = 0; c < p[m][i].size(); ++c) cube(m, i, c) = p[m][i][c];
    }
  }
  return cube;
}

inline Vector<const int, Device> labels(const std::vector<int>& values) {
  return list_on<Device>("krossfold::test::label", values);
}

inline Vector<const int, Device> on_device_const(const Vector<int>& label) { return on_device<Device>(label); }

/// All models of a host cube as an ensemble on the device.
inline ensemble::Members<Device> members_of(const Cube<float>& p) {
  const Cube<const float, Device> there = on_device<Device>(p);
  return ensemble::members<Device>(there);
}

inline ensemble::Members<Device> members_of(const Cube<float>& p, const std::vector<int>& models) {
  const Cube<const float, Device> there = on_device<Device>(p);
  return ensemble::members<Device>(there, models);
}

/// The same models in another order.
inline std::vector<int> shuffled_models(const Shape& shape) {
  std::vector<int> order(shape.models);
  for (int m = 0; m < shape.models; ++m) order[m] = m;
  std::shuffle(order.begin(), order.end(), std::mt19937(shape.seed));
  return order;
}

/// (1 / M) sum_m p_m(i, c), summed naively in double.
inline Matrix<double> plain_mean(const Cube<float>& p) {
  const Matrix<double> mean("krossfold::test::mean", p.extent(1), p.extent(2));
  for (std::size_t i = 0; i < p.extent(1); ++i) {
    for (std::size_t c = 0; c < p.extent(2); ++c) {
      for (std::size_t m = 0; m < p.extent(0); ++m) mean(i, c) += static_cast<double>(p(m, i, c));
      mean(i, c) /= static_cast<double>(p.extent(0));
    }
  }
  return mean;
}

/// Copies a matrix to Device, with the type that the functions take.
inline Matrix<const double, Device> there(const Matrix<double>& host) { return on_device<Device>(host); }

}  // namespace krossfold::test
