// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/measures/confusion.hpp"

#include <gmock/gmock.h>

#include "test/core/refusal.hpp"
#include "test/measures/random_predictions.hpp"

namespace krossfold::measures {
namespace {

using test::Predictions;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Confusion, has_the_truth_in_rows) {
  const std::vector<int> truth{0, 0, 0, 1, 2}, choice{0, 1, 1, 1, 0};
  EXPECT_THAT(confusion(truth, choice, 3).weight, ElementsAre(1, 2, 0, 0, 1, 0, 1, 0, 0));
  const std::vector<double> weight{1, 2, 4, 8, 0.5};
  const Confusion weighted = confusion(truth, choice, 3, weight);
  EXPECT_THAT(weighted.weight, ElementsAre(1, 6, 0, 0, 8, 0, 0.5, 0, 0));
  EXPECT_EQ(weighted(0, 1), 6);
}

TEST(Confusion, of_folds_adds_up_to_that_of_all_samples) {
  const unsigned seed = 17;
  std::mt19937 random(seed);
  for (int round = 0; round < 20; ++round) {
    const int n = 40, folds = 1 + round % 6;
    const Predictions p = test::random_predictions(random, n, 4, false);
    Confusion sum;
    for (int f = 0; f < folds; ++f) {
      std::vector<int> held;
      for (int i = f; i < n; i += folds) held.push_back(i);
      const Predictions fold = test::pick(p, held);
      sum += confusion(fold.truth, fold.choice, 4);
    }
    EXPECT_EQ(sum.weight, confusion(p.truth, p.choice, 4).weight) << "seed " << seed << ", round " << round;
  }
}

TEST(Confusion, matthews_correlation_is_pearsons_of_two_classes) {
  const unsigned seed = 18;
  std::mt19937 random(seed);
  for (int round = 0; round < 50; ++round) {
    const Predictions p = test::random_predictions(random, 30, 2, true);
    double all = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < 30; ++i) {
      all += p.weight[i];
      x += p.weight[i] * p.truth[i];
      y += p.weight[i] * p.choice[i];
    }
    for (int i = 0; i < 30; ++i) {
      const double dx = p.truth[i] - x / all, dy = p.choice[i] - y / all;
      xx += p.weight[i] * dx * dx;
      yy += p.weight[i] * dy * dy;
      xy += p.weight[i] * dx * dy;
    }
    EXPECT_NEAR(matthews_correlation(confusion(p.truth, p.choice, 2, p.weight)), xy / std::sqrt(xx * yy), 1e-13)
        << "seed " << seed << ", round " << round;
  }
}

TEST(Confusion, measures_do_not_depend_on_the_names_of_the_classes) {
  const unsigned seed = 19;
  std::mt19937 random(seed);
  for (int round = 0; round < 50; ++round) {
    Predictions p = test::random_predictions(random, 25, 5, false), renamed = p;
    const std::vector<int> name = test::shuffled(random, 5);
    for (int& c : renamed.truth) c = name[c];
    for (int& c : renamed.choice) c = name[c];
    const Confusion one = confusion(p.truth, p.choice, 5), other = confusion(renamed.truth, renamed.choice, 5);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", round " << round);
    EXPECT_EQ(error_rate(one), error_rate(other));
    EXPECT_NEAR(balanced_error(one), balanced_error(other), 1e-15);
    EXPECT_NEAR(macro_measures(one).f1, macro_measures(other).f1, 1e-15);
    EXPECT_NEAR(matthews_correlation(one), matthews_correlation(other), 1e-15);
    for (int c = 0; c < 5; ++c) {
      EXPECT_EQ(class_measures(one).f1[c], class_measures(other).f1[name[c]]);
    }
  }
}

TEST(Confusion, error_is_the_number_of_wrong_samples_over_all_of_them) {
  const std::vector<int> truth{0, 0, 0, 1, 2, 2, 1}, choice{0, 1, 1, 1, 0, 2, 1};
  EXPECT_EQ(error_rate(confusion(truth, choice, 3)), 3.0 / 7);  // bitwise what the searches record
}

TEST(Confusion, sums_many_weights_accurately) {
  const std::vector<int> label(1'000'000, 0);
  const std::vector<double> weight(label.size(), 0.1);
  EXPECT_DOUBLE_EQ(confusion(label, label, 1, weight)(0, 0), 100000);
}

TEST(Confusion, of_different_classes_cannot_be_added) {
  const std::vector<int> label{0};
  Confusion two = confusion(label, label, 2);
  EXPECT_THAT(test::refusal([&] { two += confusion(label, label, 3); }),
              HasSubstr("confusion matrices of 2 and 3 classes cannot be added"));
  EXPECT_THAT(test::refusal([&] { confusion({}, {}, 0); }), HasSubstr("a confusion matrix of 0 classes"));
}

}  // namespace
}  // namespace krossfold::measures
