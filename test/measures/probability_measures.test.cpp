// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/measures/probability_measures.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "test/core/refusal.hpp"
#include "test/measures/random_predictions.hpp"

namespace krossfold::measures {
namespace {

using test::Predictions;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(LogLoss, clips_probabilities_of_0_and_1) {
  const std::vector<int> truth{1};
  const std::vector<double> never{1, 0}, sure{0, 1}, half{0.5, 0.5};
  EXPECT_DOUBLE_EQ(log_loss(truth, never, 2), 52 * std::log(2));
  EXPECT_DOUBLE_EQ(log_loss(truth, sure, 2), 0x1p-52);
  EXPECT_DOUBLE_EQ(log_loss(truth, half, 2), std::log(2));
}

TEST(ProperScores, are_least_at_the_true_frequencies) {
  std::mt19937 random(41);
  const std::vector<int> truth{0, 0, 0, 1, 1, 2};
  const auto constant = [&](double a, double b) {
    std::vector<double> p;
    for (std::size_t i = 0; i < truth.size(); ++i) p.insert(p.end(), {a, b, 1 - a - b});
    return p;
  };
  const std::vector<double> best = constant(3 / 6.0, 2 / 6.0);
  std::uniform_real_distribution<double> uniform(0, 0.5);
  for (int round = 0; round < 50; ++round) {
    const std::vector<double> other = constant(uniform(random), uniform(random));
    EXPECT_LT(log_loss(truth, best, 3), log_loss(truth, other, 3)) << "seed 41, round " << round;
    EXPECT_LT(brier_score(truth, best, 3), brier_score(truth, other, 3)) << "seed 41, round " << round;
  }
}

TEST(BrierScore, of_two_classes_is_twice_the_mean_square_of_one) {
  std::mt19937 random(42);
  const Predictions p = test::random_predictions(random, 30, 2, false);
  double sum = 0;
  for (int i = 0; i < 30; ++i) sum += std::pow(p.probability[2 * i + 1] - p.truth[i], 2) / 30;
  EXPECT_NEAR(brier_score(p.truth, p.probability, 2, {}, BrierScale::half), sum, 1e-15);
  EXPECT_NEAR(brier_score(p.truth, p.probability, 2), 2 * sum, 1e-15);
}

TEST(ReliabilityCurve, counts_what_is_true_in_each_bin) {
  const std::vector<int> truth{0, 1, 0, 1, 1};
  const std::vector<double> probability{0, 0.25, 0.125, 0.625, 0.75}, weight{1, 1, 2, 3, 1};
  const ReliabilityCurve curve = reliability_curve(truth, probability, 4);
  EXPECT_THAT(curve.weight, ElementsAre(3, 0, 2, 0));
  EXPECT_TRUE(std::isnan(curve.observed[1]) && std::isnan(curve.predicted[3]));
  EXPECT_EQ(curve.observed[0], 1.0 / 3);
  EXPECT_EQ(curve.predicted[0], 0.125);
  EXPECT_EQ(curve.predicted[2], 0.6875);
  EXPECT_DOUBLE_EQ(curve.expected_error, (3 * (1.0 / 3 - 0.125) + 2 * (1 - 0.6875)) / 5);
  const ReliabilityCurve weighted = reliability_curve(truth, probability, 4, weight);
  EXPECT_THAT(weighted.weight, ElementsAre(4, 0, 4, 0));
  EXPECT_EQ(weighted.observed[0], 0.25);
  EXPECT_EQ(weighted.predicted[2], 0.65625);
  EXPECT_EQ(reliability_curve(truth, probability, 4, {}, 0).observed[0], 2.0 / 3);
}

TEST(ReliabilityCurve, of_any_number_of_bins_has_the_overall_mean) {
  std::mt19937 random(43);
  const Predictions p = test::random_predictions(random, 50, 2, true);
  const std::vector<double> probability = test::column(p.probability, 2, 1);
  const ReliabilityCurve one = reliability_curve(p.truth, probability, 1, p.weight);
  for (const int bins : {1, 2, 3, 10, 99}) {
    const ReliabilityCurve curve = reliability_curve(p.truth, probability, bins, p.weight);
    double all = 0, observed = 0;
    for (int b = 0; b < bins; ++b) {
      all += curve.weight[b];
      observed += curve.weight[b] > 0 ? curve.weight[b] * curve.observed[b] : 0;
      if (!(curve.weight[b] > 0)) continue;
      EXPECT_GE(curve.predicted[b], b / (1.0 * bins)) << "seed 43, " << bins << " bins";
      EXPECT_LE(curve.predicted[b], (b + 1) / (1.0 * bins) + 1e-15) << "seed 43, " << bins << " bins";
    }
    EXPECT_NEAR(all, one.weight[0], 1e-13);
    EXPECT_NEAR(observed / all, one.observed[0], 1e-14);
    EXPECT_GE(curve.expected_error, one.expected_error - 1e-15);  // the triangle inequality
  }
  EXPECT_THAT(test::refusal([&] { reliability_curve(p.truth, probability, 0); }),
              HasSubstr("a reliability curve of 0 bins"));
  std::vector<double> wrong(probability.begin(), probability.end());
  for (const double value : {1.5, -0.1, std::numeric_limits<double>::quiet_NaN()}) {
    wrong.back() = value;
    EXPECT_THAT(test::refusal([&] { reliability_curve(p.truth, wrong, 3); }), HasSubstr("probability"));
  }
}

}  // namespace
}  // namespace krossfold::measures
