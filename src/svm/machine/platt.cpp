// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/platt.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace krossfold::svm {

namespace {

/// log(1 + exp(x)) without overflow.
double log_one_plus_exp(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

/// 1 / (1 + exp(x)) without overflow.
double falling(double x) { return x > 0 ? std::exp(-x) / (1 + std::exp(-x)) : 1 / (1 + std::exp(x)); }

/// One term of F.
struct Sample {
  double decision, target;
};

/// F: with x = a f + b a sample adds t log(1 + e^x) + (1 - t) log(1 + e^-x).
double cross_entropy(const std::vector<Sample>& samples, const Sigmoid& at) {
  double sum = 0;
  for (const Sample& s : samples) {
    const double x = at.a * s.decision + at.b;
    sum += log_one_plus_exp(x) - (1 - s.target) * x;
  }
  return sum;
}

/// First and second derivatives of F.
struct Derivatives {
  double a = 0, b = 0, aa = 0, ab = 0, bb = 0;
};

Derivatives derivatives(const std::vector<Sample>& samples, const Sigmoid& at) {
  Derivatives d;
  for (const Sample& s : samples) {
    const double x = at.a * s.decision + at.b, p = falling(x), weight = p * falling(-x);
    d.a += s.decision * (s.target - p);
    d.b += s.target - p;
    d.aa += s.decision * s.decision * weight;
    d.ab += s.decision * weight;
    d.bb += weight;
  }
  return d;
}

/// f = centre + unit d for standardised decision values d, whose mean is 0 and whose mean absolute value is 1.
struct Standard {
  double centre = 0, unit = 1;
};

Standard standard_of(const std::vector<double>& decision) {
  if (decision.empty()) return {};
  const double first = decision.front(), n = static_cast<double>(decision.size());
  double offset = 0, spread = 0;  // from the first value, so that the rounding of a mean is no spread of equal values
  for (const double f : decision) offset += (f - first) / n;
  const double centre = first + offset;
  for (const double f : decision) spread += std::abs(f - centre) / n;
  // Of a smaller spread a f + b would keep no digit.
  constexpr double resolved = 1e-14;
  return {centre, spread > resolved * std::abs(centre) && spread > std::numeric_limits<double>::min() ? spread : 1.0};
}

}  // namespace

double Sigmoid::probability(double decision) const { return falling(a * decision + b); }

double Sigmoid::log_probability(double decision) const { return -log_one_plus_exp(a * decision + b); }

Sigmoid fit_sigmoid(const std::vector<double>& decision, const std::vector<std::int8_t>& sign) {
  constexpr int max_iterations = 100;
  constexpr double gradient_tolerance = 1e-5, min_step = 1e-10, sufficient_decrease = 1e-4;
  constexpr double ridge = 1e-12;  // the Hessian is singular if all decision values are equal
  const auto positive = static_cast<double>(std::count_if(sign.begin(), sign.end(), [](int s) { return s > 0; }));
  const double negative = static_cast<double>(sign.size()) - positive;
  const double high = (positive + 1) / (positive + 2), low = 1 / (negative + 2);
  const Standard standard = standard_of(decision);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < decision.size(); ++i) {
    samples.push_back({(decision[i] - standard.centre) / standard.unit, sign[i] > 0 ? high : low});
  }

  Sigmoid at{0, std::log((negative + 1) / (positive + 1))};
  double value = cross_entropy(samples, at);
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const Derivatives d = derivatives(samples, at);
    if (std::abs(d.a) < gradient_tolerance && std::abs(d.b) < gradient_tolerance) break;
    const double aa = d.aa + ridge, bb = d.bb + ridge, determinant = aa * bb - d.ab * d.ab;
    const double step_a = -(bb * d.a - d.ab * d.b) / determinant, step_b = -(aa * d.b - d.ab * d.a) / determinant;
    const double slope = d.a * step_a + d.b * step_b;
    double step = 1;
    while (step >= min_step) {
      const Sigmoid next{at.a + step * step_a, at.b + step * step_b};
      const double there = cross_entropy(samples, next);
      if (there < value + sufficient_decrease * step * slope) {
        at = next;
        value = there;
        break;
      }
      step /= 2;
    }
    if (step < min_step) break;  // rounding allows no further decrease
  }
  const double a = at.a / standard.unit;
  return {a, at.b - a * standard.centre};
}

}  // namespace krossfold::svm
