// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Random labels, predictions, scores with ties, probabilities and weights for the tests of the measures.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "krossfold/measures/measures.hpp"

namespace krossfold::test {

struct Predictions {
  int classes = 0;
  std::vector<int> truth, choice;
  std::vector<double> score, probability, weight;

  int size() const { return static_cast<int>(truth.size()); }
  measures::Predicted view() const { return {classes, truth, choice, score, probability, weight}; }
};

/// Scores take 9 values; weights are in [0, 1), or none.
inline Predictions random_predictions(std::mt19937& random, int samples, int classes, bool weighted) {
  Predictions p;
  p.classes = classes;
  std::uniform_int_distribution<int> any(0, classes - 1), level(-4, 4);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < samples; ++i) {
    p.truth.push_back(any(random));
    p.choice.push_back(uniform(random) < 0.5 ? p.truth.back() : any(random));
    double sum = 0;
    for (int c = 0; c < classes; ++c) {
      p.score.push_back(level(random) / 8.0 + (c == p.truth.back() ? 0.25 : 0));
      p.probability.push_back(0.01 + uniform(random));
      sum += p.probability.back();
    }
    std::for_each(p.probability.end() - classes, p.probability.end(), [&](double& q) { q /= sum; });
    if (weighted) p.weight.push_back(uniform(random));
  }
  return p;
}

/// The samples `index` of p, in this order.
inline Predictions pick(const Predictions& p, const std::vector<int>& index) {
  Predictions some;
  some.classes = p.classes;
  for (const int i : index) {
    some.truth.push_back(p.truth[i]);
    some.choice.push_back(p.choice[i]);
    if (!p.weight.empty()) some.weight.push_back(p.weight[i]);
    for (int c = i * p.classes; c < (i + 1) * p.classes; ++c) {
      some.score.push_back(p.score[c]);
      some.probability.push_back(p.probability[c]);
    }
  }
  return some;
}

inline std::vector<int> shuffled(std::mt19937& random, int n) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

/// Column c of (sample, class).
inline std::vector<double> column(const std::vector<double>& values, int classes, int c) {
  std::vector<double> of_class;
  for (std::size_t i = c; i < values.size(); i += classes) of_class.push_back(values[i]);
  return of_class;
}

/// Equal to within `tolerance`, or both NaN.
inline bool near(double a, double b, double tolerance) {
  return (std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= tolerance;
}

}  // namespace krossfold::test
