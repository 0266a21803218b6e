// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "krossfold/nn/network.hpp"

namespace krossfold::test {

/// Random features and labels, on the host and in device memory.
struct RandomSamples {
  std::vector<std::vector<double>> features;
  std::vector<int> label;
  nn::Samples<Device> samples;

  RandomSamples(int count, std::int64_t size, int classes, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<double> normal;
    const Matrix<float> value("krossfold::test::value", count, size);
    const Vector<int> labels("krossfold::test::label", count);
    for (int i = 0; i < count; ++i) {
      features.emplace_back();
      for (std::int64_t j = 0; j < size; ++j) {
        value(i, j) = static_cast<float>(normal(engine));
        features.back().push_back(static_cast<double>(value(i, j)));
      }
      label.push_back(labels(i) = static_cast<int>(engine() % static_cast<unsigned>(classes)));
    }
    samples = nn::samples_on<Device>(value, labels);
  }
};

inline std::vector<std::vector<float>> weights(const nn::Network<Device>& network) {
  std::vector<std::vector<float>> all;
  for (const auto& parameter : network.parameters()) all.push_back(parameter.value);
  return all;
}

inline Vector<const int, Device> row_list(const std::vector<int>& rows) {
  return list_on<Device>("krossfold::test::row", rows);
}

}  // namespace krossfold::test
