// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/measures/score_measures.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "test/core/refusal.hpp"
#include "test/measures/random_predictions.hpp"

namespace krossfold::measures {
namespace {

using test::Predictions;
using testing::ElementsAre;
using testing::HasSubstr;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Binary {
  std::vector<int> truth;
  std::vector<double> score, weight;
};

/// Calls check(sample) for many random cases that have both classes.
template <class Check>
void for_random_samples(unsigned seed, const Check& check) {
  std::mt19937 random(seed);
  for (int round = 0; round < 100; ++round) {
    const Predictions p = test::random_predictions(random, 2 + static_cast<int>(random() % 40), 2, round % 2 == 0);
    Binary sample{p.truth, test::column(p.score, 2, 1), p.weight};
    sample.truth[0] = 0;
    sample.truth[1] = 1;
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", round " << round);
    check(sample);
  }
}

TEST(RocAuc, is_the_share_of_pairs_in_order) {
  for_random_samples(31, [](const Binary& s) {
    double ordered = 0, pairs = 0;
    for (std::size_t i = 0; i < s.truth.size(); ++i) {
      for (std::size_t j = 0; j < s.truth.size(); ++j) {
        if (s.truth[i] != 1 || s.truth[j] == 1) continue;
        const double pair = s.weight.empty() ? 1 : s.weight[i] * s.weight[j];
        pairs += pair;
        ordered += pair * (s.score[i] > s.score[j] ? 1 : s.score[i] == s.score[j] ? 0.5 : 0);
      }
    }
    EXPECT_NEAR(roc_auc(s.truth, s.score, s.weight), ordered / pairs, 1e-14);
  });
}

TEST(RocAuc, without_weights_has_the_bits_of_weights_of_one) {
  for_random_samples(36, [](const Binary& s) {
    const std::vector<double> ones(s.truth.size(), 1.0);
    EXPECT_EQ(roc_auc(s.truth, s.score), roc_auc(s.truth, s.score, ones));
    EXPECT_EQ(roc_auc(s.truth, s.score, {}, 0), roc_auc(s.truth, s.score, ones, 0));
  });
}

TEST(RocAuc, of_negated_scores_or_exchanged_classes_is_one_minus_it) {
  for_random_samples(32, [](const Binary& s) {
    std::vector<double> negated = s.score;
    for (double& value : negated) value = -value;
    const double area = roc_auc(s.truth, s.score, s.weight);
    EXPECT_NEAR(roc_auc(s.truth, negated, s.weight), 1 - area, 1e-15);
    EXPECT_NEAR(roc_auc(s.truth, s.score, s.weight, 0), 1 - area, 1e-15);
  });
}

TEST(RocAuc, depends_on_the_order_of_the_scores_alone) {
  for_random_samples(33, [](const Binary& s) {
    std::vector<double> bent = s.score;
    for (double& value : bent) value = value == 0.5 ? infinity : std::exp(value) - 3;  // 0.5 is the highest but 0.75
    for (std::size_t i = 0; i < bent.size(); ++i) {
      if (s.score[i] > 0.5) bent[i] = infinity;
    }
    std::vector<double> merged = s.score;
    for (double& value : merged) value = std::min(value, 0.5);
    EXPECT_EQ(roc_auc(s.truth, merged, s.weight), roc_auc(s.truth, bent, s.weight));
    EXPECT_EQ(average_precision(s.truth, merged, s.weight), average_precision(s.truth, bent, s.weight));
  });
}

TEST(RocAuc, is_the_area_under_its_curve) {
  for_random_samples(34, [](const Binary& s) {
    const RocCurve curve = roc_curve(s.truth, s.score, s.weight);
    double area = 0;
    for (std::size_t i = 1; i < curve.threshold.size(); ++i) {
      EXPECT_LT(curve.threshold[i], curve.threshold[i - 1]);
      area += (curve.false_positive_rate[i] - curve.false_positive_rate[i - 1]) *
              (curve.true_positive_rate[i] + curve.true_positive_rate[i - 1]) / 2;
    }
    EXPECT_EQ(curve.false_positive_rate.front(), 0);
    EXPECT_EQ(curve.true_positive_rate.front(), 0);
    EXPECT_EQ(curve.false_positive_rate.back(), 1);
    EXPECT_EQ(curve.true_positive_rate.back(), 1);
    EXPECT_NEAR(roc_auc(s.truth, s.score, s.weight), area, 1e-14);
  });
}

TEST(AveragePrecision, is_the_area_under_the_steps_of_its_curve) {
  for_random_samples(35, [](const Binary& s) {
    const PrecisionRecallCurve curve = precision_recall_curve(s.truth, s.score, s.weight);
    ASSERT_EQ(curve.precision.size(), curve.threshold.size() + 1);
    double area = 0;
    for (std::size_t i = 0; i + 1 < curve.recall.size(); ++i) {
      area += (curve.recall[i] - curve.recall[i + 1]) * curve.precision[i];
    }
    EXPECT_NEAR(average_precision(s.truth, s.score, s.weight), area, 1e-14);
  });
}

TEST(RocAuc, is_undefined_for_one_class) {
  const std::vector<int> truth{1, 1, 1};
  const std::vector<double> score{0.25, 0.5, 1};
  EXPECT_TRUE(std::isnan(roc_auc(truth, score)));
  EXPECT_TRUE(std::isnan(roc_auc(truth, score, {}, 0)));
  EXPECT_EQ(average_precision(truth, score), 1);
  EXPECT_TRUE(std::isnan(average_precision(truth, score, {}, 0)));
  EXPECT_TRUE(std::isnan(roc_curve(truth, score).false_positive_rate[0]));
  EXPECT_THAT(precision_recall_curve(truth, score, {}, 0).recall, ElementsAre(1, 1, 1, 0));
}

TEST(RocCurve, has_a_point_before_the_first_score) {
  const std::vector<int> truth{1, 0, 1, 0, 0};
  const std::vector<double> score{2, 1, 1, 0.0, -0.0}, nothing_of_the_last{1, 1, 1, 1, 0};
  const RocCurve curve = roc_curve(truth, score);
  EXPECT_THAT(curve.threshold, ElementsAre(infinity, 2, 1, 0));
  EXPECT_THAT(curve.true_positive_rate, ElementsAre(0, 0.5, 1, 1));
  EXPECT_THAT(curve.false_positive_rate, ElementsAre(0, 0, 1.0 / 3, 1));
  EXPECT_THAT(roc_curve(truth, score, nothing_of_the_last).false_positive_rate, ElementsAre(0, 0, 0.5, 1));
  const std::vector<int> one{1};
  const std::vector<double> negative_zero{-0.0};
  EXPECT_FALSE(std::signbit(roc_curve(one, negative_zero).threshold[1]));
  EXPECT_THAT(roc_curve({}, {}).threshold, ElementsAre(infinity));
}

TEST(OneVsRestOfScores, leaves_out_classes_that_are_absent) {
  const std::vector<int> truth{0, 0, 2, 2};
  const std::vector<double> score{1, 0, 0,  //
                                  0, 0, 1,  //
                                  0, 0, 2,  //
                                  0, 0, 0};
  const OneVsRest area = one_vs_rest_roc_auc(truth, score, 3);
  EXPECT_EQ(area.per_class[0], 0.75);
  EXPECT_TRUE(std::isnan(area.per_class[1]));
  EXPECT_EQ(area.per_class[2], 0.625);
  EXPECT_EQ(area.macro, (0.75 + 0.625) / 2);
  EXPECT_EQ(area.undefined, 1);
  const std::vector<int> alone{1, 1, 1, 1};
  EXPECT_TRUE(std::isnan(one_vs_rest_roc_auc(alone, score, 3).macro));
  EXPECT_EQ(one_vs_rest_average_precision(alone, score, 3).macro, 1);
}

TEST(ScoreMeasures, refuse_what_does_not_fit) {
  const std::vector<int> truth{0, 1};
  const std::vector<double> score{0, 1}, broken{0, std::nan("")}, three(3, 0.0), negative{1, -1};
  const auto refused = [&](const std::vector<double>& s, const std::vector<double>& weight, const char* why) {
    EXPECT_THAT(test::refusal([&] { roc_auc(truth, s, weight); }), HasSubstr(why));
    EXPECT_THAT(test::refusal([&] { roc_curve(truth, s, weight); }), HasSubstr(why));
    EXPECT_THAT(test::refusal([&] { average_precision(truth, s, weight); }), HasSubstr(why));
    EXPECT_THAT(test::refusal([&] { precision_recall_curve(truth, s, weight); }), HasSubstr(why));
  };
  refused(broken, {}, "1 of 2 values of the score are NaN");
  refused(three, {}, "3 values of the score for 2 samples");
  refused(score, negative, "the weight of sample 1 is -1");
  refused(score, three, "3 values of the sample weight for 2 samples");
  EXPECT_THAT(test::refusal([&] { one_vs_rest_roc_auc(truth, score, 1); }),
              HasSubstr("1 classes (it takes at least two)"));
}

}  // namespace
}  // namespace krossfold::measures
