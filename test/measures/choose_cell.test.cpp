// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/measures/choose_cell.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "test/core/refusal.hpp"
#include "test/data/sample_files.hpp"
#include "test/measures/random_predictions.hpp"

namespace krossfold::measures {
namespace {

using testing::HasSubstr;
using Values = std::vector<double>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(ChooseCell, takes_the_best_mean) {
  const Values value{0.5, 0.25, 0.125, 0.25, 0.5, 0.5};  // three cells of two folds
  const auto least = choose_cell(value, 2, Better::lower), most = choose_cell(value, 2, Better::higher);
  ASSERT_TRUE(least && most);
  EXPECT_EQ(least->best, 1);
  EXPECT_EQ(least->mean, 0.1875);
  EXPECT_DOUBLE_EQ(least->standard_error, 0.0625);  // sqrt(2 0.0625^2 / 1) / sqrt(2)
  EXPECT_EQ(least->tied, 1);
  EXPECT_EQ(least->within, 1);
  EXPECT_EQ(most->best, 2);
  EXPECT_EQ(most->mean, 0.5);
  EXPECT_EQ(most->standard_error, 0);
}

TEST(ChooseCell, of_equal_means_takes_the_preferred_one) {
  const Values value{0.5, 0.5, 0.25, 0.75, 0.75, 0.75, 0.75, 0.25};  // means 0.5, 0.5, 0.75, 0.5
  const std::vector<int> preference{2, 3, 1, 0};
  EXPECT_EQ(choose_cell(value, 2, Better::lower)->best, 0);
  const auto choice = choose_cell(value, 2, Better::lower, preference);
  EXPECT_EQ(choice->best, 3);
  EXPECT_EQ(choice->tied, 3);
  EXPECT_EQ(choice->first_tied, 3);
  EXPECT_DOUBLE_EQ(choice->standard_error, 0.25);
  EXPECT_EQ(choice->within, 4);
  EXPECT_EQ(choice->simplest, 2);
}

TEST(ChooseCell, counts_means_that_differ_by_rounding_alone_as_ties) {
  const Values value{0.1, 0.2, 0.3, 0.3, 0.2, 0.1, 0.1, 0.2, 0.3 + 1e-10};
  ASSERT_LT(0.3 + 0.2 + 0.1, 0.1 + 0.2 + 0.3);  // the order of summation matters
  const auto choice = choose_cell(value, 3, Better::lower);
  EXPECT_EQ(choice->best, 1);
  EXPECT_EQ(choice->first_tied, 0);
  EXPECT_EQ(choice->tied, 2);
}

TEST(ChooseCell, passes_over_cells_that_were_not_computed) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Values value{0, nan, 0.5, 0.5, 0, -infinity, nan, nan};
  const auto choice = choose_cell(value, 2, Better::lower);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->best, 1);
  EXPECT_EQ(choice->tied, 1);
  EXPECT_EQ(choice->within, 1);
  EXPECT_FALSE(choose_cell(Values{nan, 1, 1, nan}, 2, Better::higher));
  EXPECT_FALSE(choose_cell({}, 5, Better::higher));
}

TEST(ChooseCell, of_one_fold_has_no_standard_error) {
  const auto choice = choose_cell(Values{0.5, 0.25, 0.25}, 1, Better::lower);
  EXPECT_EQ(choice->best, 1);
  EXPECT_TRUE(std::isnan(choice->standard_error));
  EXPECT_EQ(choice->within, 2);
  EXPECT_EQ(choice->simplest, 1);
}

/// What choose_cell() does by its definition, for values whose sums are exact.
TEST(ChooseCell, agrees_with_its_definition_on_random_values) {
  const unsigned seed = 51;
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", round " << round);
    const int cells = 1 + static_cast<int>(random() % 12), folds = 2 + static_cast<int>(random() % 4);
    Values value(static_cast<std::size_t>(cells) * folds);
    for (double& v : value) v = random() % 40 == 0 ? nan : static_cast<double>(random() % 4) / 4;
    const std::vector<int> preference = test::shuffled(random, cells);
    const Better better = round % 2 == 0 ? Better::lower : Better::higher;

    const auto mean = [&](int cell) {
      return std::accumulate(value.begin() + cell * folds, value.begin() + (cell + 1) * folds, 0.0) / folds;
    };
    const auto worse = [&](int cell, double than) {
      return better == Better::lower ? mean(cell) - than : than - mean(cell);
    };
    int best = -1, tied = 0, within = 0, simplest = -1;
    for (const int cell : preference) {
      if (!std::isnan(mean(cell)) && (best < 0 || worse(cell, mean(best)) < 0)) best = cell;
    }
    const auto choice = choose_cell(value, folds, better, preference);
    ASSERT_EQ(choice.has_value(), best >= 0);
    if (!choice) continue;
    double squares = 0;
    for (int f = 0; f < folds; ++f) squares += std::pow(value[best * folds + f] - mean(best), 2);
    const double error = std::sqrt(squares / (folds - 1)) / std::sqrt(folds);
    for (const int cell : preference) {
      tied += worse(cell, mean(best)) == 0 ? 1 : 0;
      if (worse(cell, mean(best)) <= error + 1e-12 && within++ == 0) simplest = cell;
    }
    EXPECT_EQ(choice->best, best);
    EXPECT_EQ(choice->first_tied, best);
    EXPECT_EQ(choice->mean, mean(best));
    EXPECT_NEAR(choice->standard_error, error, 1e-15);
    EXPECT_EQ(choice->tied, tied);
    EXPECT_EQ(choice->within, within);
    EXPECT_EQ(choice->simplest, simplest);
  }
}

TEST(ChooseCell, refuses_what_does_not_fit) {
  const Values value{1, 2, 3, 4};
  const auto refused = [&](int folds, const std::vector<int>& preference) {
    return test::refusal([&] { choose_cell(value, folds, Better::lower, preference); });
  };
  EXPECT_THAT(refused(3, {}), HasSubstr("4 values are no whole number of cells with 3 folds each"));
  EXPECT_THAT(refused(0, {}), HasSubstr("0 folds"));
  EXPECT_THAT(refused(2, {0, 0}), HasSubstr("lists 0 (each cell must occur once)"));
  EXPECT_THAT(refused(2, {0, 2}), HasSubstr("lists 2"));
  EXPECT_THAT(refused(2, {0}), HasSubstr("1 values of the order of preference for 2"));
}

TEST(SelectionRule, names_a_measure_and_one_standard_error) {
  const SelectionRule plain = parse_selection_rule("f1-macro"), rule = parse_selection_rule("mcc,1se");
  EXPECT_EQ(plain.measure->name, "f1-macro");
  EXPECT_FALSE(plain.one_standard_error);
  EXPECT_EQ(rule.measure->name, "mcc");
  EXPECT_TRUE(rule.one_standard_error);
  const CellChoice choice{.best = 3, .simplest = 1};
  EXPECT_EQ(plain.cell(choice), 3);
  EXPECT_EQ(rule.cell(choice), 1);
  test::expect_input_error([] { parse_selection_rule("mcc,2se"); },
                           {"unknown rule '2se' after the measure mcc", "Use mcc or mcc,1se"});
  test::expect_input_error([] { parse_selection_rule("brierr,1se"); },
                           {"unknown measure 'brierr'", "Did you mean brier?"});
}

}  // namespace
}  // namespace krossfold::measures
