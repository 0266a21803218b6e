// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/class_probability.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace krossfold::svm {
namespace {

double sum_of(const std::vector<double>& p) { return std::accumulate(p.begin(), p.end(), 0.0); }

/// sum over ordered pairs of (r_ba p_a - r_ab p_b)^2
double disagreement(const std::vector<double>& pair, const std::vector<double>& p) {
  const auto pairs = class_pairs(static_cast<int>(p.size()));
  double sum = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const auto [a, b] = pairs[k];
    sum += 2 * std::pow((1 - pair[k]) * p[a] - pair[k] * p[b], 2);
  }
  return sum;
}

TEST(CouplePairs, gives_back_the_probabilities_that_the_pairs_agree_on) {
  for (const std::vector<double>& truth :
       {std::vector<double>{0.3, 0.7}, {0.2, 0.5, 0.3}, {0.1, 0.2, 0.3, 0.4}, {0.97, 0.01, 0.005, 0.015}}) {
    std::vector<double> pair;
    for (const auto& [a, b] : class_pairs(static_cast<int>(truth.size()))) {
      pair.push_back(truth[a] / (truth[a] + truth[b]));
    }
    const auto p = couple_pairs(static_cast<int>(truth.size()), pair);
    for (std::size_t c = 0; c < truth.size(); ++c) EXPECT_NEAR(p[c], truth[c], 1e-12);
  }
}

TEST(CouplePairs, no_other_probabilities_agree_better) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(1e-7, 1 - 1e-7);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 200; ++round) {
    const int classes = 2 + round % 9;
    std::vector<double> pair(binary_problems(Multiclass::one_vs_one, classes));
    // In every third round all pairs are almost certain.
    for (double& r : pair) r = round % 3 != 0 ? uniform(random) : uniform(random) < 0.5 ? 1e-7 : 1 - 1e-7;
    const auto p = couple_pairs(classes, pair);
    ASSERT_NEAR(sum_of(p), 1, 1e-12);
    const double least = disagreement(pair, p);
    for (int other = 0; other < 50; ++other) {
      std::vector<double> q = p;
      const double size = std::pow(10.0, -1 - other % 5);
      for (double& value : q) value = std::max(0.0, value + size * normal(random));
      const double sum = sum_of(q);
      if (sum == 0) continue;
      for (double& value : q) value /= sum;
      ASSERT_GE(disagreement(pair, q), least - 1e-13) << "round " << round << " of seed 3";
    }
    for (const double value : p) ASSERT_GE(value, 0);
  }
}

TEST(ClassProbabilities, of_one_vs_rest_are_the_sigmoids_over_their_sum) {
  const std::vector<Sigmoid> sigmoid{{-1, 0}, {-2, 0.5}, {-0.5, -0.25}};
  const std::vector<double> decision{0.3, -1.2, 2};
  const auto p = class_probabilities(Multiclass::one_vs_rest, 3, sigmoid, decision.data());
  std::vector<double> expected;
  for (int c = 0; c < 3; ++c) expected.push_back(1 / (1 + std::exp(sigmoid[c].a * decision[c] + sigmoid[c].b)));
  const double sum = sum_of(expected);
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(p[c], expected[c] / sum, 1e-15);
}

TEST(ClassProbabilities, sum_to_one_even_where_every_sigmoid_is_zero) {
  const std::vector<Sigmoid> sigmoid(3, {-1, 0});
  const std::vector<double> decision{-5000, -5001, -9000};
  const auto p = class_probabilities(Multiclass::one_vs_rest, 3, sigmoid, decision.data());
  EXPECT_NEAR(p[0], 1 / (1 + std::exp(-1.0)), 1e-12);
  EXPECT_NEAR(sum_of(p), 1, 1e-15);
}

TEST(ClassProbabilities, of_two_classes_one_vs_one_are_those_of_the_one_sigmoid) {
  const std::vector<Sigmoid> sigmoid{{-1.5, 0.25}};
  for (const double f : {-3.0, 0.0, 0.4, 5.0}) {
    const auto p = class_probabilities(Multiclass::one_vs_one, 2, sigmoid, &f);
    EXPECT_NEAR(p[0], sigmoid[0].probability(f), 1e-12);
    EXPECT_NEAR(p[1], 1 - sigmoid[0].probability(f), 1e-12);
  }
  const double certain = 1e9;
  EXPECT_NEAR(class_probabilities(Multiclass::one_vs_one, 2, sigmoid, &certain)[1], 1e-7, 1e-12);
}

}  // namespace
}  // namespace krossfold::svm
