// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/cell_measures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "test/storage/temporary_folder.hpp"

namespace krossfold::studies {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Random decision values of `cs` values of C with the classes that they choose.
struct Sample {
  Sample(svm::Multiclass multiclass, int classes, int cs, int samples, unsigned seed)
      : decision("decision", cs * svm::binary_problems(multiclass, classes), samples), choice("choice", cs, samples) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (int i = 0; i < samples; ++i) truth.push_back(static_cast<int>(random() % static_cast<unsigned>(classes)));
    for (std::size_t k = 0; k < decision.extent(0); ++k) {
      for (int i = 0; i < samples; ++i) decision(k, i) = std::round(8 * normal(random)) / 8;  // some are equal
    }
    for (int c = 0; c < cs; ++c) {
      for (int i = 0; i < samples; ++i) choice(c, i) = static_cast<int>(random() % static_cast<unsigned>(classes));
    }
  }
  FoldResult result(svm::Multiclass multiclass, int classes, const std::vector<double>& weight = {}) const {
    FoldResult result;
    result.held = static_cast<int>(truth.size());
    for (std::size_t c = 0; c < choice.extent(0); ++c) {
      result.wrong.push_back(0);
      for (std::size_t i = 0; i < truth.size(); ++i) result.wrong[c] += choice(c, i) != truth[i] ? 1 : 0;
    }
    add_cell_measures(result, multiclass, classes, {truth, weight}, choice, decision);
    return FoldResult::from_bytes(result.to_bytes());
  }
  std::vector<int> chosen(std::size_t c) const { return {&choice(c, 0), &choice(c, 0) + truth.size()}; }

  std::vector<int> truth;
  Matrix<double> decision;
  Matrix<int> choice;
};

TEST(CellMeasures, are_those_of_the_predictions_of_each_C) {
  for (const auto multiclass : {svm::Multiclass::one_vs_rest, svm::Multiclass::one_vs_one}) {
    for (const int classes : {2, 3, 7}) {
      const Sample sample(multiclass, classes, 3, 60, static_cast<unsigned>(10 * classes));
      const FoldResult result = sample.result(multiclass, classes);
      for (const measures::MeasureKind* kind : cell_measures()) {
        const std::vector<double> values = values_of(*kind, result, classes);
        ASSERT_EQ(values.size(), 3u);
        for (std::size_t c = 0; c < 3; ++c) {
          SCOPED_TRACE(testing::Message() << kind->name << ", " << classes << " classes, C " << c);
          const std::vector<int> choice = sample.chosen(c);
          const auto score = class_scores(multiclass, classes, sample.decision,
                                          c * static_cast<std::size_t>(svm::binary_problems(multiclass, classes)), 60);
          const measures::Predicted predicted{
              .classes = classes, .truth = sample.truth, .choice = choice, .score = score};
          EXPECT_NEAR(values[c], measures::measure(*kind, predicted), 1e-15);
        }
      }
      const measures::Confusion expected = measures::confusion(sample.truth, sample.chosen(1), classes);
      EXPECT_EQ(confusion_of(result, 1, classes).weight, expected.weight);
    }
  }
}

TEST(CellMeasures, weigh_the_samples_if_they_have_weights) {
  const auto multiclass = svm::Multiclass::one_vs_rest;
  const Sample sample(multiclass, 3, 2, 60, 5);
  std::vector<double> weight;
  for (int i = 0; i < 60; ++i) weight.push_back(0.25 * (i % 7));
  const FoldResult result = sample.result(multiclass, 3, weight);
  for (const measures::MeasureKind* kind : cell_measures()) {
    const std::vector<double> values = values_of(*kind, result, 3);
    for (std::size_t c = 0; c < 2; ++c) {
      SCOPED_TRACE(testing::Message() << kind->name << ", C " << c);
      const std::vector<int> choice = sample.chosen(c);
      const auto score = class_scores(multiclass, 3, sample.decision, 3 * c, 60);
      const measures::Predicted predicted{
          .classes = 3, .truth = sample.truth, .choice = choice, .score = score, .weight = weight};
      EXPECT_NEAR(values[c], measures::measure(*kind, predicted), 1e-14);
    }
  }
  EXPECT_EQ(confusion_of(result, 1, 3).weight, confusion_of(sample.result(multiclass, 3), 1, 3).weight);
}

TEST(CellMeasures, are_unknown_where_a_decision_value_is_not_finite) {
  for (const auto multiclass : {svm::Multiclass::one_vs_rest, svm::Multiclass::one_vs_one}) {
    for (const bool weighted : {false, true}) {
      Sample sample(multiclass, 3, 4, 60, 8);
      const std::vector<double> weight = weighted ? std::vector<double>(60, 0.5) : std::vector<double>();
      const FoldResult whole = sample.result(multiclass, 3, weight);
      sample.decision(3 * 1 + 2, 59) = nan;
      sample.decision(3 * 2, 0) = std::numeric_limits<double>::infinity();
      const FoldResult result = sample.result(multiclass, 3, weight);
      EXPECT_EQ(result.wrong[1], -1);
      EXPECT_EQ(confusion_of(result, 2, 3).weight, std::vector<double>(9, 0));
      EXPECT_EQ(confusion_of(result, 3, 3).weight, confusion_of(whole, 3, 3).weight);
      for (const measures::MeasureKind* kind : cell_measures()) {
        SCOPED_TRACE(testing::Message() << kind->name << ", weighted " << weighted);
        const std::vector<double> values = values_of(*kind, result, 3), before = values_of(*kind, whole, 3);
        EXPECT_TRUE(std::isnan(values[1]) && std::isnan(values[2]));
        EXPECT_EQ(values[0], before[0]);
        EXPECT_EQ(values[3], before[3]);
      }
    }
  }
}

TEST(CellMeasures, are_missing_in_records_of_older_versions) {
  const FoldResult old{.held = 4, .wrong = {1, 2}, .fit = {}};
  EXPECT_EQ(values_of(*cell_measures().front(), old, 2), (std::vector<double>{0.25, 0.5}));
  for (const double value : values_of(*cell_measures()[1], old, 2)) EXPECT_TRUE(std::isnan(value));
  EXPECT_EQ(confusion_of(old, 0, 2).weight, std::vector<double>(4, 0));
}

TEST(ClassScores, of_pairs_are_votes_and_then_squashed_sums) {
  // Three classes, pairs (0, 1), (0, 2), (1, 2): votes 2, 1, 0; sums 3, -1.5, -1.5.
  Matrix<double> decision("decision", 3, 1);
  decision(0, 0) = 2;
  decision(1, 0) = 1;
  decision(2, 0) = 0.5;
  const auto score = class_scores(svm::Multiclass::one_vs_one, 3, decision, 0, 1);
  EXPECT_DOUBLE_EQ(score[0], 2 + 3 / (3 * 4.0));
  EXPECT_DOUBLE_EQ(score[1], 1 - 1.5 / (3 * 2.5));
  EXPECT_DOUBLE_EQ(score[2], 0 - 1.5 / (3 * 2.5));
}

TEST(ClassScores, of_two_classes_are_high_for_the_second) {
  Matrix<double> rest("decision", 2, 1), pair("decision", 1, 1);
  rest(0, 0) = -1;
  rest(1, 0) = 1.5;
  pair(0, 0) = -2;
  EXPECT_EQ(class_scores(svm::Multiclass::one_vs_rest, 2, rest, 0, 1), std::vector<double>{1.5});
  EXPECT_EQ(class_scores(svm::Multiclass::one_vs_one, 2, pair, 0, 1), std::vector<double>{2});
}

TEST(CellSelection, takes_measures_that_cells_have) {
  EXPECT_EQ(parse_cell_selection("mcc").measure->name, "mcc");
  EXPECT_TRUE(parse_cell_selection("roc-auc,1se").one_standard_error);
  const std::string refusal = test::message_of(ExitCode::usage, [] { parse_cell_selection("brier"); });
  EXPECT_NE(refusal.find("cannot be selected by brier (a cell has no such measure"), std::string::npos) << refusal;
}

std::optional<measures::CellChoice> choose_by_error(const std::vector<double>& error, int gammas, int cs, int folds) {
  return choose_cell(error, error, gammas, cs, folds);
}

TEST(ChooseCell, is_the_one_of_the_lowest_mean_error) {
  // (gamma, C, fold) = (2, 2, 2): means .3 .25 / .2 .4
  const auto best = choose_by_error({.2, .4, .5, 0., .2, .2, .4, .4}, 2, 2, 2);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->best, 2);
  EXPECT_DOUBLE_EQ(best->mean, .2);
}

TEST(ChooseCell, of_equal_ones_has_the_smallest_C_and_then_the_smallest_gamma) {
  // one fold; rows are gammas, columns Cs
  const auto cell = [](const std::vector<double>& error) { return choose_by_error(error, 3, 3, 1)->best; };
  EXPECT_EQ(cell({.5, .5, .1,  //
                  .5, .1, .5,  //
                  .5, .5, .1}),
            4);
  EXPECT_EQ(cell({.5, .5, .1,  //
                  .5, .1, .5,  //
                  .5, .1, .1}),
            4);
}

TEST(ChooseCell, leaves_out_cells_without_all_their_folds) {
  const auto best = choose_by_error({0., nan, .3, .5, nan, 0., .4, .5}, 2, 2, 2);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->best, 1);
  EXPECT_DOUBLE_EQ(best->mean, .4);
  EXPECT_FALSE(choose_by_error({0., nan, nan, nan, nan, 0., .4, nan}, 2, 2, 2));
}

TEST(ChooseCell, leaves_out_folds_whose_samples_are_of_one_class) {
  // Three folds, of which the second measures nothing; the last cell lacks the third fold.
  const std::vector<double> error{.1, 0, .3, .2, 0, .1, .4, 0, nan};
  const std::vector<double> value{.5, nan, .7, .9, nan, .8, 1., nan, nan};
  EXPECT_EQ(measured_folds(error, value, 3), (std::vector<int>{0, 2}));
  const auto best = choose_cell(error, value, 1, 3, 3, measures::Better::higher);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->best, 1);
  EXPECT_DOUBLE_EQ(best->mean, .85);
  EXPECT_DOUBLE_EQ(mean_at(value, 1, 3, {0, 2}), .85);
  // Folds that no cell has computed yet do count.
  EXPECT_EQ(measured_folds({.1, nan}, {.5, nan}, 2), (std::vector<int>{0, 1}));
  EXPECT_FALSE(choose_cell({.1, nan}, {.5, nan}, 1, 1, 2));
  EXPECT_FALSE(choose_cell({.1, .2}, {nan, nan}, 1, 1, 2)) << "no fold measures anything";
}

}  // namespace
}  // namespace krossfold::studies
