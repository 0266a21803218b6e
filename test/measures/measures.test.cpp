// SPDX-License-Identifier: BSD-3-Clause
// The table of measures, and what holds for all of them.
#include "krossfold/measures/measures.hpp"

#include <gmock/gmock.h>

#include <set>

#include "test/core/refusal.hpp"
#include "test/data/sample_files.hpp"
#include "test/measures/random_predictions.hpp"

namespace krossfold::measures {
namespace {

using test::pick;
using test::Predictions;
using test::random_predictions;
using test::refusal;
using testing::HasSubstr;

/// Calls check(kind, predictions) for every measure of many random predictions.
template <class Check>
void for_all_measures(unsigned seed, const Check& check) {
  std::mt19937 random(seed);
  for (int round = 0; round < 60; ++round) {
    const int classes = 2 + round % 4, samples = 1 + static_cast<int>(random() % 60);
    const Predictions p = random_predictions(random, samples, classes, round % 3 == 0);
    for (const MeasureKind& kind : measure_kinds()) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", round " << round << ": " << samples << " samples, "
                                      << classes << " classes, " << kind.name);
      check(kind, p, random);
    }
  }
}

TEST(Measures, are_independent_of_the_order_of_the_samples) {
  for_all_measures(1, [](const MeasureKind& kind, const Predictions& p, std::mt19937& random) {
    const double value = measure(kind, p.view()),
                 again = measure(kind, pick(p, test::shuffled(random, p.size())).view());
    EXPECT_PRED3(test::near, value, again, kind.needs == MeasureNeeds::scores ? 0 : 1e-14 * std::abs(value));
  });
}

TEST(Measures, count_a_sample_of_weight_2_twice) {
  for_all_measures(2, [](const MeasureKind& kind, const Predictions& p, std::mt19937& random) {
    std::vector<int> index;
    Predictions weighted = p, once = p;
    once.weight.clear();
    weighted.weight.clear();
    for (int i = 0; i < p.size(); ++i) {
      weighted.weight.push_back(static_cast<double>(random() % 4));
      index.insert(index.end(), static_cast<std::size_t>(weighted.weight[i]), i);
    }
    EXPECT_PRED3(test::near, measure(kind, weighted.view()), measure(kind, pick(once, index).view()), 1e-13);
  });
}

TEST(Measures, are_independent_of_the_scale_of_the_weights) {
  for_all_measures(3, [](const MeasureKind& kind, const Predictions& p, std::mt19937&) {
    for (const double factor : {1e-90, 3.0, 1e90}) {
      Predictions scaled = p;
      if (p.weight.empty()) scaled.weight.assign(p.truth.size(), 1);
      for (double& w : scaled.weight) w *= factor;
      EXPECT_PRED3(test::near, measure(kind, p.view()), measure(kind, scaled.view()), 1e-13) << factor;
    }
  });
}

TEST(Measures, are_within_their_range) {
  for_all_measures(4, [](const MeasureKind& kind, const Predictions& p, std::mt19937&) {
    const double value = measure(kind, p.view());
    EXPECT_TRUE(std::isnan(value) || (kind.least <= value && value <= kind.most)) << value;
  });
}

TEST(Measures, reach_the_ends_of_their_range) {
  Predictions p;
  p.classes = 2;
  p.truth = p.choice = {0, 1, 1, 0, 1};
  for (const int c : p.truth) p.probability.insert(p.probability.end(), {1.0 - c, 1.0 * c});
  p.score = p.probability;
  Predictions wrong = p;
  for (int& c : wrong.choice) c = 1 - c;
  for (double& q : wrong.probability) q = 1 - q;
  wrong.score = wrong.probability;
  for (const MeasureKind& kind : measure_kinds()) {
    const bool lower = kind.better == Better::lower;
    EXPECT_NEAR(measure(kind, p.view()), lower ? kind.least : kind.most, 1e-15) << kind.name;
    if (kind.name == "average-precision") continue;  // never 0: all samples together hold the positives
    EXPECT_NEAR(measure(kind, wrong.view()), lower ? kind.most : kind.least, 1e-14) << kind.name;
  }
}

TEST(Measures, are_not_a_number_without_samples) {
  for (const MeasureKind& kind : measure_kinds()) {
    EXPECT_TRUE(std::isnan(measure(kind, {.classes = 3}))) << kind.name;
    const std::vector<int> label{0, 1};
    const std::vector<double> half(4, 0.5), none(2, 0.0);
    EXPECT_TRUE(std::isnan(measure(kind, {2, label, label, half, half, none}))) << kind.name;
  }
}

TEST(Measures, of_two_classes_take_one_score_for_each_sample) {
  std::mt19937 random(5);
  const Predictions p = random_predictions(random, 30, 2, false);
  const std::vector<double> score = test::column(p.score, 2, 1);
  for (const char* name : {"roc-auc", "average-precision"}) {
    EXPECT_EQ(measure(parse_measure(name), {.classes = 2, .truth = p.truth, .score = score}),
              measure(parse_measure(name), p.view()));
  }
}

TEST(Measures, have_names_of_their_own_and_are_found_by_them) {
  std::set<std::string> names;
  for (const MeasureKind& kind : measure_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_EQ(&parse_measure(kind.name), &kind);
    EXPECT_FALSE(kind.help.empty());
    EXPECT_LT(kind.least, kind.most);
  }
}

TEST(Measures, suggests_the_nearest_name) {
  test::expect_input_error([] { parse_measure("balanced_eror"); },
                           {"unknown measure 'balanced_eror'", "Did you mean balanced-error?"});
  test::expect_input_error([] { parse_measure("accuracy"); },
                           {"unknown measure 'accuracy'", "Use one of error, balanced-error, f1-macro"});
}

TEST(Measures, say_what_is_missing) {
  const std::vector<int> label{0, 1};
  const Predicted labels_alone{.classes = 2, .truth = label, .choice = label};
  const auto message = [](const char* name, const Predicted& p) {
    return refusal([&] { measure(parse_measure(name), p); });
  };
  EXPECT_EQ(message("error", labels_alone), "");
  EXPECT_THAT(message("error", {.classes = 2, .truth = label}), HasSubstr("error needs predicted classes"));
  EXPECT_THAT(message("roc-auc", labels_alone), HasSubstr("roc-auc needs scores"));
  EXPECT_THAT(message("log-loss", labels_alone), HasSubstr("log-loss needs probabilities"));
}

TEST(Measures, refuse_what_does_not_fit) {
  std::mt19937 random(6);
  const Predictions good = random_predictions(random, 10, 3, true);
  const auto message = [](const MeasureKind& kind, const Predictions& p) {
    return refusal([&] { measure(kind, p.view()); });
  };
  for (const MeasureKind& kind : measure_kinds()) {
    SCOPED_TRACE(kind.name);
    EXPECT_EQ(message(kind, good), "");
    Predictions bad = good;
    bad.truth[4] = 3;
    EXPECT_THAT(message(kind, bad), HasSubstr("the class of sample 4 is 3 (there are 3 classes, from 0 on)"));
    bad = good;
    bad.truth[4] = -1;
    EXPECT_THAT(message(kind, bad), HasSubstr("the class of sample 4 is -1"));
    bad = good;
    bad.weight[2] = -0.5;
    EXPECT_THAT(message(kind, bad),
                HasSubstr("the weight of sample 2 is -0.5 (weights must be finite and at least 0)"));
    bad.weight[2] = std::nan("");
    EXPECT_THAT(message(kind, bad), HasSubstr("the weight of sample 2 is nan"));
    bad.weight.pop_back();
    EXPECT_THAT(message(kind, bad), HasSubstr("9 values of the sample weight for 10 samples"));
    bad = good;
    bad.choice.pop_back();
    bad.score.pop_back();
    bad.probability.pop_back();
    const bool labels = kind.needs == MeasureNeeds::labels;
    EXPECT_THAT(message(kind, bad),
                HasSubstr(labels ? "9 values of the predicted class for 10 samples" : "29 values of"));
    EXPECT_THAT(message(kind, bad), HasSubstr(labels ? "" : "for 10 samples (each sample needs 3)"));
    if (labels) {
      bad.choice.push_back(7);
      EXPECT_THAT(message(kind, bad), HasSubstr("the predicted class of sample 9 is 7"));
      continue;
    }
    bad = good;
    bad.score[5] = bad.probability[5] = std::nan("");
    EXPECT_THAT(message(kind, bad), HasSubstr("NaN"));
    if (kind.needs == MeasureNeeds::scores) continue;
    bad.probability[5] = 1.01;
    EXPECT_THAT(message(kind, bad), HasSubstr("a probability is 1.01 (not in [0, 1])"));
    bad.probability[5] = 1 + 1e-9;
    EXPECT_EQ(message(kind, bad), "");
  }
}

}  // namespace
}  // namespace krossfold::measures
