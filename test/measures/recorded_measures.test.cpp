// SPDX-License-Identifier: BSD-3-Clause
// The measures of the cases that record_measures.py recorded with scikit-learn.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>

#include "krossfold/measures/confusion.hpp"
#include "krossfold/measures/measures.hpp"
#include "krossfold/measures/probability_measures.hpp"
#include "krossfold/measures/score_measures.hpp"
#include "test/measures/random_predictions.hpp"
#include "test/source_folder.hpp"

namespace krossfold::measures {
namespace {

using test::column;
using Numbers = std::vector<double>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Case {
  std::string name;
  std::map<std::string, Numbers> line;
  test::Predictions given;

  bool has(const std::string& word) const { return line.count(word) > 0; }
  double one(const std::string& word) const { return line.at(word).at(0); }
};

std::vector<Case> recorded() {
  std::ifstream file(test::source_path(KROSSFOLD_MEASURES_CASES, "test/measures/measures_cases.csv"));
  std::vector<Case> cases;
  std::string text, word, number;
  while (std::getline(file, text)) {
    std::replace(text.begin(), text.end(), ',', ' ');
    std::istringstream words(text);
    words >> word;
    if (word == "#") continue;
    if (word == "case") {
      words >> cases.emplace_back().name;
      continue;
    }
    Numbers& values = cases.back().line[word];
    while (words >> number) values.push_back(std::stod(number));  // operator>> of a double reads neither nan nor inf
  }
  for (Case& c : cases) {
    const auto whole = [&](const char* name) {
      return std::vector<int>(c.line.at(name).begin(), c.line.at(name).end());
    };
    c.given = {static_cast<int>(c.one("classes")),
               whole("truth"),
               whole("choice"),
               c.line.at("score"),
               c.line.at("probability"),
               c.has("weight") ? c.line.at("weight") : Numbers{}};
  }
  return cases;
}

void expect_near(const Numbers& found, const Numbers& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_PRED3(test::near, found[i], expected[i], 1e-12 * std::max(1.0, std::abs(expected[i]))) << what << " " << i;
  }
}

class RecordedMeasures : public testing::Test {
protected:
  RecordedMeasures() { EXPECT_EQ(cases.size(), 24U) << "in " << KROSSFOLD_MEASURES_CASES; }
  const std::vector<Case> cases = recorded();
};

TEST_F(RecordedMeasures, of_labels_are_those_of_scikit_learn) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Confusion matrix = confusion(c.given.truth, c.given.choice, c.given.classes, c.given.weight);
    expect_near(matrix.weight, c.line.at("confusion"), "confusion");
    const ClassMeasures each = class_measures(matrix);
    expect_near(each.precision, c.line.at("precision"), "precision");
    expect_near(each.recall, c.line.at("recall"), "recall");
    expect_near(each.f1, c.line.at("f1"), "f1");
    expect_near(each.support, c.line.at("support"), "support");
    for (const char* name : {"error", "balanced-error", "f1-macro", "precision-macro", "recall-macro", "mcc"}) {
      expect_near({measure(parse_measure(name), c.given.view())}, c.line.at(name), name);
    }
  }
}

TEST_F(RecordedMeasures, of_scores_are_those_of_scikit_learn) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const test::Predictions& p = c.given;
    expect_near(one_vs_rest_roc_auc(p.truth, p.score, p.classes, p.weight).per_class, c.line.at("roc-auc-of-class"),
                "ROC AUC");
    Numbers precision = c.line.at("average-precision-of-class");
    for (int k = 0; k < p.classes; ++k) {
      if (c.line.at("support")[k] == 0) precision[k] = nan;  // where scikit-learn warns and gives 0
    }
    expect_near(one_vs_rest_average_precision(p.truth, p.score, p.classes, p.weight).per_class, precision,
                "average precision");
    if (p.classes == 2) {
      expect_near({measure(parse_measure("roc-auc"), p.view())}, {c.line.at("roc-auc-of-class")[1]}, "roc-auc");
      expect_near({measure(parse_measure("average-precision"), p.view())}, {precision[1]}, "average-precision");
      continue;
    }
    Predicted only = p.view();
    only.score = {};  // the probabilities are then the scores
    const OneVsRest area = one_vs_rest_roc_auc(p.truth, p.probability, p.classes, p.weight);
    expect_near({area.undefined == 0 ? measure(parse_measure("roc-auc"), only) : nan},
                c.line.at("roc-auc-of-probabilities"), "roc-auc");
    EXPECT_EQ(area.undefined > 0, std::isnan(c.one("roc-auc-of-probabilities")));
  }
}

TEST_F(RecordedMeasures, curves_are_those_of_scikit_learn) {
  int curves = 0;
  for (const Case& c : cases) {
    if (!c.has("roc-threshold")) continue;
    ++curves;
    SCOPED_TRACE(c.name);
    const Numbers score = column(c.given.score, 2, 1);
    const RocCurve roc = roc_curve(c.given.truth, score, c.given.weight);
    expect_near(roc.false_positive_rate, c.line.at("roc-false-positive"), "false-positive rate");
    expect_near(roc.true_positive_rate, c.line.at("roc-true-positive"), "true-positive rate");
    expect_near(roc.threshold, c.line.at("roc-threshold"), "threshold of the ROC curve");
    const PrecisionRecallCurve curve = precision_recall_curve(c.given.truth, score, c.given.weight);
    expect_near(curve.precision, c.line.at("curve-precision"), "precision");
    expect_near(curve.recall, c.line.at("curve-recall"), "recall");
    expect_near(curve.threshold, c.line.at("curve-threshold"), "threshold of precision and recall");
  }
  EXPECT_GE(curves, 8);
}

TEST_F(RecordedMeasures, of_probabilities_are_those_of_scikit_learn) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const test::Predictions& p = c.given;
    expect_near({measure(parse_measure("log-loss"), p.view())}, c.line.at("log-loss"), "log-loss");
    expect_near({measure(parse_measure("brier"), p.view())}, c.line.at("brier"), "brier");
    expect_near({brier_score(p.truth, p.probability, p.classes, p.weight, BrierScale::half)}, c.line.at("brier-half"),
                "half the Brier score");
    if (!c.has("reliability-observed")) continue;
    const ReliabilityCurve curve = reliability_curve(p.truth, column(p.probability, p.classes, 1), 5);
    Numbers observed, predicted;
    for (int b = 0; b < 5; ++b) {
      EXPECT_EQ(std::isnan(curve.observed[b]), curve.weight[b] == 0);
      if (curve.weight[b] == 0) continue;
      observed.push_back(curve.observed[b]);
      predicted.push_back(curve.predicted[b]);
    }
    expect_near(observed, c.line.at("reliability-observed"), "observed");
    expect_near(predicted, c.line.at("reliability-predicted"), "predicted");
  }
}

}  // namespace
}  // namespace krossfold::measures
