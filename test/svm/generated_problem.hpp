// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Random SVM problems of the kinds that users have and solvers fear, and the smallest one on which a property still fails.

#include <cmath>
#include <functional>
#include <limits>
#include <ostream>
#include <random>
#include <vector>

#include "krossfold/core/view.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/svm/train.hpp"

namespace krossfold::test {

/// A binary problem in unscaled features.
struct GeneratedProblem {
  std::vector<std::vector<float>> x;  ///< (sample, feature)
  std::vector<int> label;             ///< 0 or 1
  std::vector<double> weight;         ///< (sample)
  double gamma = 1, c = 1;

  int size() const { return static_cast<int>(label.size()); }
  int features() const { return static_cast<int>(x.front().size()); }
};

inline std::ostream& operator<<(std::ostream& out, const GeneratedProblem& problem) {
  out.precision(17);
  out << "gamma = " << problem.gamma << ", C = " << problem.c << "\n";
  for (int i = 0; i < problem.size(); ++i) {
    out << problem.label[i] << " (weight " << problem.weight[i] << "):";
    for (const float value : problem.x[i]) out << ' ' << value;
    out << "\n";
  }
  return out;
}

/// One of eight kinds by the seed: overlapping clouds, the same with equal points of opposite labels, with a constant and with a huge feature,
/// one sample of a class, all points equal, points on a small lattice, weights of 0, 1 and `large`. C is from 10^-3 to 10^9 and gamma
/// from 10^-12 to 10^6.
inline GeneratedProblem generate(unsigned seed, double large = 1000) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  const auto below = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  const auto power_of_ten = [&](double low, double high) {
    return std::pow(10.0, std::uniform_real_distribution<double>(low, high)(random));
  };
  const int kind = static_cast<int>(seed % 8), n = 4 + below(60), features = 1 + below(4);
  GeneratedProblem made;
  made.gamma = power_of_ten(-12, 6);
  made.c = power_of_ten(-3, 9);
  for (int i = 0; i < n; ++i) {
    made.label.push_back(i < 2 ? i : below(2));
    made.weight.push_back(1);
    auto& point = made.x.emplace_back();
    for (int f = 0; f < features; ++f) point.push_back(normal(random) + static_cast<float>(made.label.back()));
    if (kind == 6)
      for (float& value : point) value = std::round(value);
  }
  if (kind == 1)
    for (int i = n / 2; i < n; ++i) made.x[i] = made.x[i - n / 2];
  if (kind == 2 || kind == 3)
    for (auto& point : made.x) point.push_back(kind == 2 ? 3.5F : 1e6F * normal(random) + 1e6F);
  if (kind == 4)
    for (int i = 1; i < n; ++i) made.label[i] = 1;
  if (kind == 5)
    for (auto& point : made.x) point = made.x.front();
  if (kind == 7)
    for (int i = 2; i < n; ++i) made.weight[i] = std::vector<double>{0, 1, large}[below(3)];
  return made;
}

inline data::Dataset dataset_of(const GeneratedProblem& problem) {
  const Matrix<float> raw("krossfold::test::raw", problem.size(), problem.features());
  const Vector<int> label("krossfold::test::label", problem.size());
  const Vector<double> weight("krossfold::test::weight", problem.size());
  bool weighted = false;
  for (int i = 0; i < problem.size(); ++i) {
    for (int f = 0; f < problem.features(); ++f) raw(i, f) = problem.x[i][f];
    label(i) = problem.label[i];
    weight(i) = problem.weight[i];
    weighted = weighted || weight(i) != 1;
  }
  data::Dataset set = data::make_dataset("generated", raw, label, {"0", "1"});
  return weighted ? data::with_columns(set, nullptr, {}, weight) : set;
}

/// A solution, with what follows from it by the definitions, in long double.
struct GeneratedSolution {
  svm::Machine machine;
  std::vector<double> beta;                                                 ///< (sample)
  long double primal = 0, dual = 0, violation = 0, sum = 0, magnitude = 0;  ///< magnitude: sum |beta|
  long double bounds = 0;                                                   ///< sum of C w
  bool within_bounds = true;

  const svm::FitSummary& fit() const { return machine.fit.front(); }
};

/// At the end of a path over `steps` values of C, each ten times the one before.
inline GeneratedSolution solve(const GeneratedProblem& problem, double tolerance = 1e-3, const data::Scale& scale = {},
                               double gap = 0, int steps = 1) {
  svm::TrainParams params;
  params.c.clear();
  for (int k = steps - 1; k > 0; --k) params.c.push_back(problem.c * std::pow(0.1, k));
  params.c.push_back(problem.c);
  params.gamma = problem.gamma;
  params.tolerance = tolerance;
  params.gap = gap;
  params.scale = scale;
  GeneratedSolution found;
  found.machine = svm::train(Device(), dataset_of(problem), params);
  const int n = problem.size();
  found.beta.assign(n, 0.0);
  // Support vectors keep the order of the samples; equal samples of a class may stand for one another.
  const data::Dataset& support = found.machine.support;
  int k = 0;
  for (int i = 0; i < n && k < support.size(); ++i) {
    const double beta = found.machine.coefficient(0, k);
    bool same = (beta > 0) == (problem.label[i] == 0) && std::fabs(beta) <= problem.c * problem.weight[i];
    for (int f = 0; f < problem.features(); ++f) same = same && support.raw(k, f) == problem.x[i][f];
    if (same) {
      found.beta[i] = beta;
      ++k;
    }
  }
  found.within_bounds = k == support.size();

  // Class 0 of the problem 0/1 is the positive one.
  std::vector<long double> gradient(n);
  long double high = -HUGE_VALL, low = HUGE_VALL;
  const long double bias = found.fit().bias;
  for (int i = 0; i < n; ++i) {
    const int y = problem.label[i] == 0 ? 1 : -1;
    long double decision = 0;
    for (int j = 0; j < n; ++j) {
      if (found.beta[j] == 0) continue;
      long double d2 = 0;
      for (int f = 0; f < problem.features(); ++f) {
        const long double d = (static_cast<long double>(problem.x[i][f]) - problem.x[j][f]) / scale.divisor_of(f);
        d2 += d * d;
      }
      decision += found.beta[j] * std::exp(-problem.gamma * d2);
    }
    gradient[i] = y - decision;
    const double upper = problem.c * problem.weight[i], alpha = y * found.beta[i];
    found.within_bounds = found.within_bounds && alpha >= 0 && alpha <= upper;
    if (upper > 0) {
      if (y > 0 ? alpha < upper : alpha > 0) high = std::max(high, gradient[i]);
      if (y > 0 ? alpha > 0 : alpha < upper) low = std::min(low, gradient[i]);
    }
    found.bounds += upper;
    found.sum += found.beta[i];
    found.magnitude += std::fabs(found.beta[i]);
    found.dual += 0.5L * found.beta[i] * (y + gradient[i]);
    found.primal += 0.5L * found.beta[i] * decision + upper * std::max(0.0L, 1 - y * (decision + bias));
  }
  found.violation = high == -HUGE_VALL || low == HUGE_VALL ? 0 : high - low;
  return found;
}

/// Leaves out samples and features, and rounds values, as long as the property still fails.
inline GeneratedProblem minimise(GeneratedProblem problem, const std::function<bool(const GeneratedProblem&)>& holds) {
  const auto both_classes = [](const GeneratedProblem& p) {
    int count[2] = {0, 0};
    for (const int label : p.label) ++count[label];
    return count[0] > 0 && count[1] > 0;
  };
  const auto keep_if_it_fails = [&](const GeneratedProblem& smaller) {
    if (smaller.size() < 2 || smaller.features() < 1 || !both_classes(smaller) || holds(smaller)) return false;
    problem = smaller;
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (int length = problem.size() / 2; length >= 1; length /= 2) {
      for (int first = 0; first + length <= problem.size();) {
        GeneratedProblem smaller = problem;
        smaller.x.erase(smaller.x.begin() + first, smaller.x.begin() + first + length);
        smaller.label.erase(smaller.label.begin() + first, smaller.label.begin() + first + length);
        smaller.weight.erase(smaller.weight.begin() + first, smaller.weight.begin() + first + length);
        if (keep_if_it_fails(smaller)) {
          changed = true;
        } else {
          first += length;
        }
      }
    }
    for (int f = 0; f < problem.features();) {
      GeneratedProblem smaller = problem;
      for (auto& point : smaller.x) point.erase(point.begin() + f);
      if (problem.features() > 1 && keep_if_it_fails(smaller)) {
        changed = true;
      } else {
        ++f;
      }
    }
    for (int i = 0; i < problem.size(); ++i) {
      GeneratedProblem rounder = problem;
      for (float& value : rounder.x[i]) value = std::round(value);
      if (rounder.x[i] != problem.x[i]) changed = keep_if_it_fails(rounder) || changed;
    }
  }
  return problem;
}

}  // namespace krossfold::test
