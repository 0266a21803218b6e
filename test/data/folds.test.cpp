// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/folds.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "test/data/sample_dataset.hpp"
#include "test/data/sample_files.hpp"

namespace krossfold::data {
namespace {

using test::expect_input_error;
using test::labels;

std::vector<int> bounds(const FoldSplit& split) {
  std::vector<int> found{0};
  for (const auto& held : split.held) found.push_back(found.back() + static_cast<int>(held.size()));
  return found;
}

int spread(const std::vector<int>& counts) {
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  return *most - *least;
}

// References from numpy 2.4: np.round(np.linspace(0, n, k + 1)). In the last two, the step is inexact and a tie rounds
// differently than f n / k would.
TEST(Folds, contiguous_bounds_are_those_of_numpy) {
  const std::vector<std::vector<int>> references = {{0, 288, 575, 863, 1150, 1438},
                                                    {0, 12000, 24000, 36000, 48000, 60000},
                                                    {0, 2, 5, 8, 10},
                                                    {0, 2, 5},
                                                    {0, 2, 3, 4, 6, 8, 9},
                                                    {0, 1, 2, 4, 5, 6, 7},
                                                    {0, 6, 11},
                                                    {0, 2, 3},
                                                    {0, 143, 286, 429, 571, 714, 857, 1000},
                                                    {0, 2, 5, 7, 9, 12, 14, 16, 18, 21, 23},
                                                    {0,   42,  83,  125, 166, 208, 250, 291, 333, 375, 416, 458, 500,
                                                     541, 583, 624, 666, 708, 749, 791, 832, 874, 916, 957, 999},
                                                    {0, 2, 4, 6, 8, 10, 12, 15, 17, 19, 21, 23, 25, 27, 29},
                                                    {0, 8, 16, 25, 33, 41, 49, 57, 66, 74, 82, 90, 99, 107, 115}};
  for (const auto& expected : references) {
    const int n = expected.back(), k = static_cast<int>(expected.size()) - 1;
    const FoldSplit split = make_folds(FoldKind::contiguous, k, labels(std::vector<int>(n, 0)), 0);
    EXPECT_EQ(bounds(split), expected) << n << " samples, " << k << " folds";
    for (int f = 0; f < k; ++f) {
      std::vector<int> run(split.held[f].size());
      std::iota(run.begin(), run.end(), expected[f]);
      EXPECT_EQ(split.held[f], run);
    }
  }
}

TEST(Folds, are_a_partition_into_ascending_parts_of_equal_size) {
  const unsigned seed = 99;
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    const int n = 2 + static_cast<int>(random() % 200), k = 2 + static_cast<int>(random() % std::min(n - 1, 30));
    std::vector<int> label(n);
    for (int& value : label) value = static_cast<int>(random() % 4);
    for (const FoldKind kind :
         {FoldKind::contiguous, FoldKind::stratified, FoldKind::shuffled, FoldKind::stratified_shuffled}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", round " << round << ": n " << n << ", k " << k
                                      << ", kind " << static_cast<int>(kind));
      const FoldSplit split = make_folds(kind, k, labels(label), random());
      ASSERT_EQ(split.folds(), k);
      std::vector<int> all, sizes;
      for (int f = 0; f < k; ++f) {
        const auto& held = split.held[f];
        ASSERT_TRUE(std::is_sorted(held.begin(), held.end()));
        all.insert(all.end(), held.begin(), held.end());
        sizes.push_back(static_cast<int>(held.size()));

        const std::vector<int> training = split.training(f, n);
        std::vector<int> both;
        ASSERT_TRUE(std::is_sorted(training.begin(), training.end()));
        std::merge(held.begin(), held.end(), training.begin(), training.end(), std::back_inserter(both));
        std::vector<int> everything(n);
        std::iota(everything.begin(), everything.end(), 0);
        ASSERT_EQ(both, everything);
      }
      std::sort(all.begin(), all.end());
      for (int i = 0; i < n; ++i) ASSERT_EQ(all[i], i);
      ASSERT_EQ(all.size(), static_cast<std::size_t>(n));
      ASSERT_LE(spread(sizes), 1);
      ASSERT_EQ(sizes, fold_sizes(kind, k, n));
    }
  }
}

TEST(Folds, stratified_shares_every_class_equally) {
  const unsigned seed = 17;
  std::mt19937 random(seed);
  for (int round = 0; round < 100; ++round) {
    const int n = 30 + static_cast<int>(random() % 200), k = 2 + static_cast<int>(random() % 9);
    std::vector<int> label(n);
    for (int& value : label) value = static_cast<int>(std::min(random() % 5, random() % 5));
    for (const FoldKind kind : {FoldKind::stratified, FoldKind::stratified_shuffled}) {
      const FoldSplit split = make_folds(kind, k, labels(label), 0);
      for (int c = 0; c < 5; ++c) {
        std::vector<int> counts;
        for (const auto& held : split.held) {
          counts.push_back(
              static_cast<int>(std::count_if(held.begin(), held.end(), [&](int i) { return label[i] == c; })));
        }
        EXPECT_LE(spread(counts), 1) << "seed " << seed << ", round " << round << ", class " << c;
      }
    }
  }
}

TEST(Folds, stratified_deals_each_class_on_from_where_the_last_stopped) {
  const FoldSplit split = make_folds(FoldKind::stratified, 2, labels({1, 0, 0, 1, 0, 1}), 0);
  // Class 0 has samples 1, 2, 4, dealt to folds 0, 1, 0; class 1 has 0, 3, 5, dealt to 1, 0, 1.
  EXPECT_EQ(split.held[0], (std::vector<int>{1, 3, 4}));
  EXPECT_EQ(split.held[1], (std::vector<int>{0, 2, 5}));
}

TEST(Folds, shuffled_depend_on_the_seed_and_on_nothing_else) {
  const auto zeros = labels(std::vector<int>(500, 0)), others = labels(std::vector<int>(500, 3));
  const FoldSplit split = make_folds(FoldKind::shuffled, 5, zeros, 42);
  EXPECT_EQ(make_folds(FoldKind::shuffled, 5, others, 42).held, split.held);
  EXPECT_NE(make_folds(FoldKind::shuffled, 5, zeros, 43).held, split.held);
  // Every fold should hold about a fifth of each half: 50 of 250 with standard deviation 5.7 (hypergeometric).
  for (const auto& held : split.held) {
    const auto first_half = std::count_if(held.begin(), held.end(), [](int i) { return i < 250; });
    EXPECT_NEAR(static_cast<double>(first_half), 50, 23) << "seed 42";
  }
}

TEST(Folds, stratified_shuffled_depend_on_the_seed_and_mix_each_class) {
  std::vector<int> sorted(500);
  for (int i = 0; i < 500; ++i) sorted[i] = i / 250;
  const FoldSplit split = make_folds(FoldKind::stratified_shuffled, 5, labels(sorted), 42);
  EXPECT_EQ(make_folds(FoldKind::stratified_shuffled, 5, labels(sorted), 42).held, split.held);
  EXPECT_NE(make_folds(FoldKind::stratified_shuffled, 5, labels(sorted), 43).held, split.held);
  // Of the 50 samples of class 0, about half lie in its first half: hypergeometric with standard deviation 3.2.
  for (const auto& held : split.held) {
    const auto first = std::count_if(held.begin(), held.end(), [](int i) { return i < 125; });
    EXPECT_NEAR(static_cast<double>(first), 25, 13) << "seed 42";
  }
}

TEST(Folds, leave_one_out_holds_out_each_sample_alone) {
  const FoldSplit split = make_folds(FoldKind::leave_one_out, 5, labels({0, 1, 1, 0}), 7);
  EXPECT_EQ(split.held, (std::vector<std::vector<int>>{{0}, {1}, {2}, {3}}));
  EXPECT_EQ(fold_sizes(FoldKind::leave_one_out, 5, 4), (std::vector<int>{1, 1, 1, 1}));
  expect_input_error([] { make_folds(FoldKind::leave_one_out, 5, labels({0}), 0); }, {"at least two folds"});
}

TEST(Folds, classes_that_a_fold_lacks_are_named) {
  const std::vector<std::string> names = {"ant", "bee", "cow"};
  const auto sorted = labels({0, 0, 0, 1, 1, 1, 2, 2, 2});
  EXPECT_THAT(missing_classes(make_folds(FoldKind::contiguous, 3, sorted, 0), sorted, names),
              testing::ElementsAre(
                  "3 of 3 folds train without some of the classes ant, bee, cow and so cannot predict them; fold-kind "
                  "stratified-shuffled shares every class",
                  "3 of 3 folds hold out no sample of some of the classes ant, bee, cow and so cannot measure them; "
                  "fold-kind stratified-shuffled shares every class"));
  EXPECT_TRUE(missing_classes(make_folds(FoldKind::stratified_shuffled, 3, sorted, 0), sorted, names).empty());
  EXPECT_TRUE(missing_classes(make_folds(FoldKind::leave_one_out, 3, sorted, 0), sorted, names).empty());
  const auto last = labels({0, 1, 0, 1, 0, 1, 0, 2, 2});
  EXPECT_THAT(missing_classes(make_folds(FoldKind::contiguous, 3, last, 0), last, names),
              testing::Contains("1 of 3 folds trains without class cow and so cannot predict it; fold-kind "
                                "stratified-shuffled shares every class"));
}

TEST(Folds, classes_whose_training_samples_weigh_nothing_are_named) {
  const auto y = labels({0, 1, 0, 1, 0, 1});
  const Vector<double> weight("krossfold::test::weight", 6);
  for (int i = 0; i < 6; ++i) weight(i) = i == 2 || i == 4 ? 0 : 1;  // of class ant the first alone counts
  const FoldSplit split = make_folds(FoldKind::contiguous, 3, y, 0);
  EXPECT_TRUE(missing_classes(split, y, {"ant", "bee"}).empty());
  EXPECT_THAT(missing_classes(split, y, {"ant", "bee"}, weight),
              testing::ElementsAre(testing::HasSubstr("1 of 3 folds trains without class ant")));
}

TEST(Folds, classes_that_nested_folds_lack_are_named) {
  Dataset grouped = test::sample_dataset(24, 2, 2, 1);
  const Vector<int> group("krossfold::test::group", 24), label("krossfold::test::label", 24);
  for (int i = 0; i < 24; ++i) {
    group(i) = i / 2;
    label(i) = group(i) < 2 ? 1 : 0;  // two groups of twelve
  }
  grouped.group = group;
  grouped.label = label;
  const NestedFolds nested = nest_folds(grouped, FoldKind::group, 2, 2, 0);
  EXPECT_THAT(missing_in_nested(nested, label, {"ant", "bee"}),
              testing::HasSubstr("2 of 2 outer folds train without class bee, or choose their cell by folds that do"));
  for (int i = 0; i < 24; ++i) label(i) = i % 2;
  EXPECT_EQ(missing_in_nested(nest_folds(grouped, FoldKind::group, 2, 2, 0), label, {"ant", "bee"}), "");
}

TEST(Folds, classes_of_one_sample_are_named_without_advice_that_would_not_help) {
  const std::vector<std::string> names = {"ant", "bee", "cow", "dog"};
  const auto alone = labels({0, 0, 0, 1, 1, 1, 1, 1, 2});
  for (const FoldKind kind : {FoldKind::stratified_shuffled, FoldKind::stratified, FoldKind::leave_one_out}) {
    EXPECT_THAT(
        missing_classes(make_folds(kind, 3, alone, 0), alone, names),
        testing::ElementsAre("class cow has one training sample: the fold that holds it out trains without the class"));
  }
  const auto two = labels({0, 0, 0, 1, 1, 1, 1, 3, 2});
  EXPECT_THAT(missing_classes(make_folds(FoldKind::stratified, 3, two, 0), two, names),
              testing::ElementsAre("classes cow, dog have one training sample each: the folds that hold them out train "
                                   "without these classes"));
}

TEST(Folds, advise_fewer_where_any_class_has_less_samples) {
  const std::vector<std::string> names = {"ant", "bee", "cow"};
  for (const auto& y : {labels({0, 0, 1, 1, 1, 1, 2, 2, 2, 2}), labels({0, 0, 0, 0, 1, 1, 2, 2, 2, 2}),
                        labels({0, 0, 0, 0, 1, 1, 1, 1, 2, 2})}) {
    EXPECT_THAT(missing_classes(make_folds(FoldKind::stratified, 4, y, 0), y, names),
                testing::ElementsAre(
                    testing::HasSubstr("take no more folds than the class has samples, and each of them measures it")));
  }
}

TEST(Folds, of_data_with_groups_hold_out_whole_groups_or_are_refused) {
  Dataset grouped = test::sample_dataset(24, 2, 2, 1);
  expect_input_error([&] { split_folds(grouped, FoldKind::group, 3, 0); }, {"needs groups", "--group"});
  const Vector<int> group("krossfold::test::group", 24);
  for (int i = 0; i < 24; ++i) group(i) = i / 3;
  grouped.group = group;
  for (const FoldKind kind : {FoldKind::group, FoldKind::stratified_shuffled}) {
    const FoldSplit split = split_folds(grouped, kind, 3, 0);
    EXPECT_EQ(split.kind, FoldKind::group);
    std::map<int, std::set<int>> folds;
    for (int f = 0; f < split.folds(); ++f) {
      for (const int i : split.held[f]) folds[group(i)].insert(f);
    }
    EXPECT_EQ(folds.size(), 8u);
    for (const auto& [one, of_group] : folds) EXPECT_EQ(of_group.size(), 1u) << one;
  }
  for (const FoldKind kind :
       {FoldKind::shuffled, FoldKind::contiguous, FoldKind::stratified, FoldKind::leave_one_out}) {
    expect_input_error([&] { split_folds(grouped, kind, 3, 0); }, {"would tear groups apart", "--fold-kind group"});
  }
}

TEST(Folds, of_groups_without_a_class_say_that_there_are_too_few_groups) {
  const auto label = labels({0, 0, 0, 0, 1, 1}), group = labels({0, 1, 2, 3, 4, 4});
  EXPECT_THAT(
      missing_classes(make_group_folds(2, label, group, {}), label, {"ant", "bee"}),
      testing::ElementsAre("1 of 2 folds trains without class bee and so cannot predict it: there are too few groups "
                           "with such samples",
                           "1 of 2 folds holds out no sample of class bee and so cannot measure it: there are too few "
                           "groups with such samples"));
}

TEST(Folds, stratified_shuffled_favours_no_class) {
  // 7 classes of 2 samples in 5 folds: four folds hold 3 samples, and each class is in every fold about equally often.
  std::vector<int> label;
  for (int i = 0; i < 14; ++i) label.push_back(i / 2);
  const auto of = labels(label);
  constexpr int seeds = 2000;
  std::vector<std::vector<int>> held(7, std::vector<int>(5, 0));  // (class, fold)
  for (int seed = 0; seed < seeds; ++seed) {
    const FoldSplit split = make_folds(FoldKind::stratified_shuffled, 5, of, static_cast<std::uint64_t>(seed));
    for (int f = 0; f < 5; ++f) {
      for (const int i : split.held[f]) ++held[label[i]][f];
    }
  }
  // The fold sizes are 3, 3, 3, 3, 2: 2/7 of a class's two samples times 3/2 each, and a binomial spread of below 22.
  for (const auto& of_class : held) {
    for (int f = 0; f < 5; ++f) EXPECT_NEAR(of_class[f], seeds * (f < 4 ? 3.0 : 2.0) / 7, 110) << "fold " << f;
  }
}

/// A data set of which only labels and groups matter.
Dataset labelled(const std::vector<int>& label, const std::vector<int>& group = {}) {
  Dataset set;
  set.name = "labelled";
  set.label = labels(label);
  if (!group.empty()) set.group = labels(group);
  return set;
}

TEST(Folds, repeats_are_partitions_of_their_own_and_begin_with_the_one_without_them) {
  std::vector<int> label;
  for (int i = 0; i < 60; ++i) label.push_back(i % 3);
  const Dataset train = labelled(label);
  for (const FoldKind kind : {FoldKind::shuffled, FoldKind::stratified_shuffled}) {
    const FoldSplit split = repeat_folds(train, kind, 5, 4, 9);
    ASSERT_EQ(split.folds(), 20);
    EXPECT_EQ(split.repeats, 4);
    const FoldSplit first = make_folds(kind, 5, train.label, 9);
    for (int f = 0; f < 5; ++f) EXPECT_EQ(split.held[f], first.held[f]);
    std::set<std::vector<int>> seen;
    for (int r = 0; r < 4; ++r) {
      std::set<int> all;
      for (int f = 5 * r; f < 5 * r + 5; ++f) {
        all.insert(split.held[f].begin(), split.held[f].end());
        EXPECT_EQ(split.held[f].size(), 12U);
        EXPECT_TRUE(seen.insert(split.held[f]).second) << "a fold comes twice";
      }
      EXPECT_EQ(all.size(), 60U) << "repeat " << r;
    }
  }
  EXPECT_EQ(repeat_folds(train, FoldKind::contiguous, 5, 1, 9).folds(), 5);
  for (const FoldKind kind : {FoldKind::contiguous, FoldKind::stratified, FoldKind::leave_one_out}) {
    expect_input_error([&] { repeat_folds(train, kind, 5, 2, 9); },
                       {"repeats 2", "would be equal", "stratified-shuffled"});
  }
}

TEST(Folds, of_nested_cross_validation_leave_out_their_outer_fold_and_tear_no_group_apart) {
  std::vector<int> label, group;
  for (int i = 0; i < 120; ++i) {
    label.push_back(i % 2);
    group.push_back(i / 3);
  }
  for (const bool grouped : {false, true}) {
    const Dataset train = labelled(label, grouped ? group : std::vector<int>());
    const NestedFolds nested = nest_folds(train, FoldKind::stratified_shuffled, 4, 5, 3);
    ASSERT_EQ(nested.outer.folds(), 4);
    ASSERT_EQ(nested.inner.size(), 4U);
    for (int o = 0; o < 4; ++o) {
      const std::vector<int> rest = nested.outer.training(o, 120);
      std::vector<int> all;
      std::map<int, int> fold_of_group;
      for (int f = 0; f < 5; ++f) {
        for (const int i : nested.inner[o].held[f]) {
          all.push_back(i);
          if (grouped) {
            EXPECT_EQ(fold_of_group.emplace(group[i], f).first->second, f);
          }
        }
      }
      std::sort(all.begin(), all.end());
      EXPECT_EQ(all, rest) << "outer fold " << o;
      for (const int i : nested.outer.held[o]) EXPECT_FALSE(fold_of_group.contains(group[i]));
    }
    EXPECT_NE(nested.inner[0].held[0], nested.inner[1].held[0]);
  }
  expect_input_error([&] { nest_folds(labelled(label), FoldKind::leave_one_out, 4, 5, 3); }, {"leave-one-out"});
}

TEST(Folds, kinds_are_known_by_their_words) {
  EXPECT_EQ(parse_fold_kind("contiguous"), FoldKind::contiguous);
  EXPECT_EQ(parse_fold_kind("stratified"), FoldKind::stratified);
  EXPECT_EQ(parse_fold_kind("shuffled"), FoldKind::shuffled);
  expect_input_error([] { parse_fold_kind("shufled"); }, {"unknown --fold-kind 'shufled'", "Did you mean shuffled?"});
  expect_input_error([] { parse_fold_kind("?"); }, {"leave-one-out or group"});
}

TEST(Folds, are_between_two_and_the_number_of_samples) {
  const auto three = labels({0, 1, 0});
  for (const FoldKind kind : {FoldKind::contiguous, FoldKind::stratified, FoldKind::shuffled}) {
    EXPECT_EQ(make_folds(kind, 3, three, 0).folds(), 3);
    expect_input_error([&] { make_folds(kind, 4, three, 0); }, {"4 folds", "3 training samples"});
    for (const int k : {1, 0, -5}) expect_input_error([&] { make_folds(kind, k, three, 0); }, {"too few", "two folds"});
  }
}

}  // namespace
}  // namespace krossfold::data
