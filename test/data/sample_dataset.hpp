// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"

namespace krossfold::test {

/// n samples of d features, integers from 0 to 16, of `classes` classes in turn; each class has its own mean.
inline data::Dataset sample_dataset(int n, int d, int classes, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> noise(0, 2);
  const Matrix<float> raw("krossfold::test::raw", n, d);
  const Vector<int> label("krossfold::test::label", n);
  std::vector<std::string> names;
  for (int c = 0; c < classes; ++c) names.push_back(std::string("class ") + std::to_string(c));
  for (int i = 0; i < n; ++i) {
    label(i) = i % classes;
    for (int j = 0; j < d; ++j) {
      const float mean = j % classes == label(i) ? 12.0F : 4.0F;
      raw(i, j) = std::clamp(std::round(mean + noise(random)), 0.0F, 16.0F);
    }
  }
  return data::make_dataset("sample", raw, label, names);
}

}  // namespace krossfold::test
