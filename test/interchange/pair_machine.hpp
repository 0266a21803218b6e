// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "krossfold/core/text.hpp"
#include "krossfold/svm/decomposition.hpp"
#include "krossfold/svm/machine.hpp"
#include "test/data/sample_dataset.hpp"

namespace krossfold::test {

/// A machine of pairs of classes with random coefficients, for whole numbers of 6 features.
inline svm::Machine pair_machine(int classes, const svm::KernelFunction& kernel, const data::Scale& scale,
                                 std::uint32_t seed) {
  constexpr int samples = 40, features = 6;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const data::Dataset set = sample_dataset(samples, features, classes, seed);
  const auto pairs = svm::class_pairs(classes);
  const Matrix<double> beta("krossfold::test::beta", pairs.size(), samples);
  std::vector<double> bias;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    bias.push_back(normal(random));
    for (int i = 0; i < samples; ++i) {
      const bool part = set.label(i) == pairs[p].first || set.label(i) == pairs[p].second;
      beta(p, i) = part && i % 3 != 0 ? normal(random) : 0;
    }
  }
  svm::Machine machine = svm::make_machine(set, beta, bias, kernel);
  machine.multiclass = svm::Multiclass::one_vs_one;
  machine.scale = scale;
  for (std::size_t p = 0; p < pairs.size(); ++p) machine.sigmoid.push_back({normal(random), normal(random)});
  return machine;
}

inline void expect_same_decisions(const svm::Machine& found, const svm::Machine& expected, double tolerance) {
  const data::Dataset samples = sample_dataset(25, expected.features(), expected.classes(), 99);
  const auto left = svm::decision_values<Host>(Host(), found, samples),
             right = svm::decision_values<Host>(Host(), expected, samples);
  ASSERT_EQ(left.extent(1), right.extent(1));
  for (std::size_t i = 0; i < left.extent(0); ++i) {
    for (std::size_t p = 0; p < left.extent(1); ++p) {
      EXPECT_NEAR(left(i, p), right(i, p), tolerance * (1 + std::abs(right(i, p)))) << i << ", " << p;
    }
  }
}

}  // namespace krossfold::test
