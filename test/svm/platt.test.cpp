// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/platt.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace krossfold::svm {
namespace {

struct Samples {
  std::vector<double> decision;
  std::vector<std::int8_t> sign;
};

/// Normally distributed decision values with sign +1 drawn with the sigmoid's probability.
Samples drawn_from(const Sigmoid& sigmoid, int n, double spread, std::uint32_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, spread);
  std::uniform_real_distribution<double> uniform(0, 1);
  Samples samples;
  for (int i = 0; i < n; ++i) {
    const double f = normal(random);
    samples.decision.push_back(f);
    samples.sign.push_back(uniform(random) < 1 / (1 + std::exp(sigmoid.a * f + sigmoid.b)) ? 1 : -1);
  }
  return samples;
}

/// F(a, b) from its definition, in long double.
long double cross_entropy(const Samples& samples, long double a, long double b) {
  long double positive = 0, negative = 0, sum = 0;
  for (const int s : samples.sign) (s > 0 ? positive : negative) += 1;
  for (std::size_t i = 0; i < samples.sign.size(); ++i) {
    const long double t = samples.sign[i] > 0 ? (positive + 1) / (positive + 2) : 1 / (negative + 2);
    const long double e = expl(a * samples.decision[i] + b);
    sum += t * log1pl(e) + (1 - t) * log1pl(1 / e);
  }
  return sum;
}

/// The minimum of F, found by a derivative-free search with ever smaller steps in a and b.
Sigmoid searched_minimum(const Samples& samples) {
  long double a = 0, b = 0, best = cross_entropy(samples, a, b);
  for (long double step = 1; step > 1e-7L;) {
    bool better = false;
    for (const auto& [da, db] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}}) {
      const long double there = cross_entropy(samples, a + da * step, b + db * step);
      if (there >= best) continue;
      best = there;
      a += da * step;
      b += db * step;
      better = true;
    }
    if (!better) step /= 2;
  }
  return {static_cast<double>(a), static_cast<double>(b)};
}

TEST(Platt, recovers_the_sigmoid_that_the_signs_were_drawn_from) {
  for (const Sigmoid truth : {Sigmoid{-2, 0}, {-1.5, 0.7}, {-0.4, -1}, {0.8, 0.3}}) {
    const Samples samples = drawn_from(truth, 40000, 1.5, 5);
    const Sigmoid fitted = fit_sigmoid(samples.decision, samples.sign);
    // The standard errors are about 0.02.
    EXPECT_NEAR(fitted.a, truth.a, 0.1);
    EXPECT_NEAR(fitted.b, truth.b, 0.1);
  }
}

TEST(Platt, is_where_a_search_without_derivatives_finds_the_minimum) {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Samples samples = drawn_from({-0.3 * seed, 0.5 - 0.2 * seed}, 50 * static_cast<int>(seed), 2, seed);
    const Sigmoid fitted = fit_sigmoid(samples.decision, samples.sign), searched = searched_minimum(samples);
    EXPECT_NEAR(fitted.a, searched.a, 1e-5);
    EXPECT_NEAR(fitted.b, searched.b, 1e-5);
    // The search did not stop early either: our F is not larger.
    EXPECT_LE(cross_entropy(samples, fitted.a, fitted.b), cross_entropy(samples, searched.a, searched.b) + 1e-9L);
  }
}

TEST(Platt, gives_the_same_probabilities_in_every_unit_and_with_every_offset_of_the_decision_values) {
  for (const bool separable : {false, true}) {
    Samples samples = drawn_from({-2, 0.3}, 120, 1.5, 11);
    for (std::size_t i = 0; i < samples.sign.size() && separable; ++i) {
      samples.sign[i] = samples.decision[i] > 0.5 ? 1 : -1;
    }
    const Sigmoid plain = fit_sigmoid(samples.decision, samples.sign);
    for (const double unit : {1e-150, 1e-12, 1e-8, 1e-4, 1e-2, 1e3, 1e12, 1e150}) {
      for (const double offset : {0.0, 1.0, -1.0}) {
        // Most digits of a small unit are lost beside an offset, and all of a smaller one.
        if (offset != 0 && unit < 1e-12) continue;
        SCOPED_TRACE(testing::Message() << "unit " << unit << ", offset " << offset << ", separable " << separable);
        const double tolerance = 1e-12 + (offset != 0 ? 1e-15 / unit : 0);
        std::vector<double> other;
        for (const double f : samples.decision) other.push_back(unit * f + offset);
        const Sigmoid fitted = fit_sigmoid(other, samples.sign);
        for (std::size_t i = 0; i < other.size(); ++i) {
          ASSERT_NEAR(fitted.probability(other[i]), plain.probability(samples.decision[i]), tolerance) << i;
        }
      }
    }
  }
}

TEST(Platt, takes_values_that_differ_by_rounding_alone_for_equal) {
  std::vector<double> decision;
  std::vector<std::int8_t> sign;
  for (int i = 0; i < 20; ++i) {
    decision.push_back(i % 3 == 0 ? 0.1 : std::nextafter(0.1, 1.0));
    sign.push_back(i % 3 == 0 ? 1 : -1);
  }
  const double mean = (7 * 8.0 / 9 + 13 * 1.0 / 15) / 20;
  for (const double f : decision) EXPECT_NEAR(fit_sigmoid(decision, sign).probability(f), mean, 1e-5);
}

TEST(Platt, stays_finite_where_the_signs_are_separated) {
  for (const double gap : {1e-3, 1.0, 1e3}) {
    Samples samples;
    for (int i = 0; i < 20; ++i) {
      samples.decision.push_back((i < 12 ? 1 : -1) * gap * (1 + 0.1 * i));
      samples.sign.push_back(i < 12 ? 1 : -1);
    }
    const Sigmoid fitted = fit_sigmoid(samples.decision, samples.sign);
    ASSERT_TRUE(std::isfinite(fitted.a) && std::isfinite(fitted.b)) << gap;
    EXPECT_LT(fitted.a, 0) << gap;
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(fitted.probability(samples.decision[i]) > 0.5, samples.sign[i] > 0) << gap << ", sample " << i;
    }
    // The targets prevent certainty: because the derivatives are 0, the mean over either sign equals its target.
    double sum = 0;
    for (const double f : samples.decision) sum += fitted.probability(f);
    EXPECT_NEAR(sum, 12 * 13.0 / 14 + 8 * 1.0 / 10, 1e-4) << gap;
  }
}

TEST(Platt, of_one_sign_only_gives_every_decision_value_its_target) {
  const std::vector<double> decision{-3, -0.5, 0, 2, 100};
  const Sigmoid none = fit_sigmoid(decision, {-1, -1, -1, -1, -1}), all = fit_sigmoid(decision, {1, 1, 1, 1, 1});
  for (const double f : {-1e3, 0.0, 1e3}) {
    EXPECT_NEAR(none.probability(f), 1.0 / 7, 1e-12);
    EXPECT_NEAR(all.probability(f), 6.0 / 7, 1e-12);
    EXPECT_NEAR(fit_sigmoid({}, {}).probability(f), 0.5, 1e-12);
  }
}

TEST(Platt, of_equal_decision_values_gives_them_the_mean_of_the_targets) {
  const std::vector<std::int8_t> sign{1, -1, -1, 1, -1, -1, -1};
  const double mean = (2 * 3.0 / 4 + 5 * 1.0 / 7) / 7;
  for (const double f : {0.0, 0.75, -40.0}) {
    const Sigmoid fitted = fit_sigmoid(std::vector<double>(sign.size(), f), sign);
    EXPECT_NEAR(fitted.probability(f), mean, 1e-5) << f;
  }
}

TEST(Sigmoid, neither_overflows_nor_loses_the_logarithm) {
  const Sigmoid sigmoid{-1, 0};
  EXPECT_EQ(sigmoid.probability(1e6), 1);
  EXPECT_EQ(sigmoid.probability(-1e6), 0);
  EXPECT_DOUBLE_EQ(sigmoid.log_probability(-1e6), -1e6);
  EXPECT_DOUBLE_EQ(sigmoid.log_probability(50), -std::exp(-50.0));
  for (const double f : {-30.0, -1.0, 0.0, 0.3, 20.0}) {
    EXPECT_DOUBLE_EQ(sigmoid.probability(f), 1 / (1 + std::exp(-f)));
    EXPECT_NEAR(sigmoid.log_probability(f), std::log(1 / (1 + std::exp(-f))), 1e-12);
  }
}

}  // namespace
}  // namespace krossfold::svm
