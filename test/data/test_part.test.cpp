// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/test_part.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "krossfold/core/text.hpp"
#include "test/data/sample_files.hpp"

namespace krossfold::data {
namespace {

using test::all_labels;
using test::expect_input_error;
using test::labels;
using testing::ElementsAre;

/// A data set whose only feature is the number of the sample.
Dataset numbered(const std::vector<int>& label) {
  const int n = static_cast<int>(label.size());
  const Matrix<float> raw("krossfold::test::numbered", n, 1);
  for (int i = 0; i < n; ++i) raw(i, 0) = static_cast<float>(i);
  std::vector<std::string> names;
  for (int c = 0; c <= *std::max_element(label.begin(), label.end()); ++c) names.push_back(text("class ", c));
  return make_dataset("numbered", raw, labels(label), names);
}

std::vector<int> samples_of(const Dataset& part) {
  std::vector<int> samples;
  if (part.size() == 0) return samples;
  for (int i = 0; i < part.size(); ++i) samples.push_back(static_cast<int>(part.raw(i, 0)));
  return samples;
}

std::map<int, int> counts_of(const std::vector<int>& label) {
  std::map<int, int> count;
  for (const int value : label) ++count[value];
  return count;
}

TEST(Validation, takes_a_share_of_each_class_and_loses_no_sample) {
  const unsigned seed = 12;
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    const int n = 2 + static_cast<int>(random() % 300), classes = 1 + static_cast<int>(random() % 6);
    const double share = std::uniform_real_distribution(0.01, 0.5)(random);
    std::vector<int> label(n);
    for (int& value : label) value = static_cast<int>(random() % classes);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", round " << round << ": n " << n << ", share " << share);
    const Task task = split_off_validation(numbered(label), share, random());
    const std::vector<int> train = samples_of(task.train), held = samples_of(task.test);
    EXPECT_TRUE(std::is_sorted(train.begin(), train.end()));
    EXPECT_TRUE(std::is_sorted(held.begin(), held.end()));
    std::set<int> all(train.begin(), train.end());
    all.insert(held.begin(), held.end());
    EXPECT_EQ(all.size(), static_cast<std::size_t>(n));
    EXPECT_EQ(train.size() + held.size(), static_cast<std::size_t>(n));
    std::map<int, int> of_class = counts_of(label);
    std::map<int, int> held_of_class;
    for (const int i : held) ++held_of_class[label[i]];
    double dealt = 0;
    for (const auto& [c, count] : of_class) {
      EXPECT_TRUE(count > 1 || held_of_class[c] == 0);
      if (count > 1) dealt += count;
      EXPECT_LT(held_of_class[c], count);
      EXPECT_LE(std::abs(held_of_class[c] - share * count), 1);
    }
    EXPECT_LE(std::abs(static_cast<double>(held.size()) - share * dealt), 0.5 + 1e-9);
  }
}

TEST(TestPart, of_groups_is_about_a_fifth_and_hangs_on_the_seed_whatever_their_sizes) {
  std::vector<int> label, group;
  for (int g = 0; g < 29; ++g) {
    for (int i = 0; i < (g == 4 ? 300 : 5 + g); ++i) {  // one has as many samples as half of the others
      label.push_back(g % 2);
      group.push_back(g);
    }
  }
  std::set<std::vector<int>> parts;
  const auto n = static_cast<double>(label.size());
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const TestSplit split = choose_test_part({labels(label), {"a", "b"}}, labels(group), "t", TestPart::random, seed);
    parts.insert(split.test);
    EXPECT_LT(static_cast<double>(split.test.size()), .3 * n);
    EXPECT_GT(static_cast<double>(split.test.size()), .1 * n);
    std::set<int> trained, tested;
    for (const int i : split.train) trained.insert(group[static_cast<std::size_t>(i)]);
    for (const int i : split.test) tested.insert(group[static_cast<std::size_t>(i)]);
    EXPECT_EQ(trained.size() + tested.size(), 29U);
  }
  EXPECT_GE(parts.size(), 3U);
}

TEST(TestPart, of_three_groups_of_unlike_sizes_is_the_one_nearest_to_a_fifth) {
  std::vector<int> label, group;
  for (int i = 0; i < 100; ++i) {
    label.push_back(i % 2);
    group.push_back(i < 80 ? 0 : i < 92 ? 1 : 2);  // 80, 12 and 8 samples: only the second within half of a fifth
  }
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const TestSplit split = choose_test_part({labels(label), {"a", "b"}}, labels(group), "t", TestPart::random, seed);
    EXPECT_EQ(split.test.size(), 12U) << "seed " << seed;
    EXPECT_EQ(split.train.size(), 88U) << "seed " << seed;
  }
}

TEST(TestPart, of_fewer_groups_than_parts_has_the_wanted_share_where_a_group_has_it) {
  const auto held = [](const std::vector<int>& sizes, TestPart part, std::uint64_t seed) {
    std::vector<int> label, group;
    for (std::size_t g = 0; g < sizes.size(); ++g) {
      for (int i = 0; i < sizes[g]; ++i) {
        label.push_back(i % 2);
        group.push_back(static_cast<int>(g));
      }
    }
    return choose_test_part({labels(label), {"a", "b"}}, labels(group), "t", part, seed).test.size();
  };
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    EXPECT_EQ(held({90, 10}, TestPart::random, seed), 10U);
    EXPECT_EQ(held({1, 99}, TestPart::random, seed), 1U);
    EXPECT_EQ(held({40, 30, 20, 10}, {TestPart::random, 0.1}, seed), 10U);
  }
}

TEST(TestPart, of_groups_leaves_samples_of_every_class_to_train_on) {
  std::vector<int> label, group;
  for (int i = 0; i < 120; ++i) {
    group.push_back(i / 12);
    label.push_back(i / 12 == 4 ? 2 : i % 2);  // one group has all of class c
  }
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const TestSplit split =
        choose_test_part({labels(label), {"a", "b", "c"}}, labels(group), "t", TestPart::random, seed);
    EXPECT_EQ(split.test.size(), 24U);
    for (const int i : split.test) EXPECT_NE(label[static_cast<std::size_t>(i)], 2) << "seed " << seed;
  }
}

TEST(TestPart, of_two_groups_is_one_of_them_and_one_group_alone_is_refused) {
  const auto label = labels({0, 1, 0, 1});
  const TestSplit split = choose_test_part({label, {"a", "b"}}, labels({0, 0, 1, 1}), "t", TestPart::random, 1);
  EXPECT_EQ(split.test.size(), 2U);
  expect_input_error(
      [&] {
        choose_test_part({label, {"a", "b"}}, labels({3, 3, 3, 3}), "t", TestPart::random, 1);
      },
      {"one group"});
}

TEST(TestPart, of_a_tiny_share_of_groups_is_one_group) {
  const std::vector<int> label{0, 1, 0, 1, 0, 1, 0, 1}, group{0, 0, 1, 1, 2, 2, 3, 3};
  for (const double share : {1e-12, 1e-300, 5e-324}) {
    const TestSplit split =
        choose_test_part({labels(label), {"a", "b"}}, labels(group), "t", {TestPart::random, share}, 1);
    EXPECT_EQ(split.test.size(), 2U) << share;
  }
}

TEST(TestPart, none_trains_on_every_sample) {
  const Task task = split_off_test_part(numbered({0, 1, 0, 1}), parse_test_part("none"), 1);
  EXPECT_EQ(samples_of(task.train), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(task.test.size(), 0);
}

TEST(Validation, of_one_group_holds_out_nothing) {
  Dataset whole = numbered({0, 1, 0, 1});
  whole.group = labels({2, 2, 2, 2});
  const Task task = split_off_validation(whole, 0.25, 1);
  EXPECT_EQ(samples_of(task.train), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(task.test.size(), 0);
}

TEST(Validation, keeps_groups_together_and_hangs_on_the_seed) {
  std::vector<int> label, group;
  for (int i = 0; i < 120; ++i) {
    label.push_back(i % 3);
    group.push_back(i / 6);
  }
  Dataset whole = numbered(label);
  whole.group = labels(group);
  const Task task = split_off_validation(whole, 0.1, 5);
  std::set<int> train_groups, held_groups;
  for (const int i : samples_of(task.train)) train_groups.insert(group[i]);
  for (const int i : samples_of(task.test)) held_groups.insert(group[i]);
  EXPECT_EQ(held_groups.size(), 2U);
  EXPECT_EQ(train_groups.size(), 18U);
  whole.group = {};
  EXPECT_EQ(samples_of(split_off_validation(whole, 0.1, 5).test), samples_of(split_off_validation(whole, 0.1, 5).test));
  EXPECT_NE(samples_of(split_off_validation(whole, 0.1, 5).test), samples_of(split_off_validation(whole, 0.1, 6).test));
  EXPECT_EQ(split_off_validation(numbered({0, 1, 2}), 0.5, 1).test.size(), 0);
}

TEST(TestPart, random_takes_a_fifth_of_each_class_and_loses_no_sample) {
  const unsigned seed = 31;
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    const int n = 3 + static_cast<int>(random() % 300), classes = 1 + static_cast<int>(random() % 6);
    std::vector<int> label(n);
    for (int& value : label) value = static_cast<int>(random() % classes);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", round " << round << ": n " << n);
    const Task task = split_off_test_part(numbered(label), TestPart::random, random());
    const std::vector<int> train = samples_of(task.train),
                           test = task.test.size() > 0 ? samples_of(task.test) : std::vector<int>();
    EXPECT_TRUE(std::is_sorted(train.begin(), train.end()));
    EXPECT_TRUE(std::is_sorted(test.begin(), test.end()));
    std::set<int> all(train.begin(), train.end());
    all.insert(test.begin(), test.end());
    EXPECT_EQ(all.size(), static_cast<std::size_t>(n));
    EXPECT_EQ(train.size() + test.size(), static_cast<std::size_t>(n));
    std::vector<int> test_label;
    for (const int i : test) test_label.push_back(label[i]);
    auto tested = counts_of(test_label);
    for (const auto& [c, count] : counts_of(label)) {
      EXPECT_LT(tested[c], count) << "class " << c << " can be learned";
      EXPECT_NEAR(tested[c], count / 5.0, 0.81) << "class " << c << " of " << count;
    }
    EXPECT_NEAR(static_cast<double>(test.size()), n / 5.0, 0.5 + 0.2 * classes);
  }
}

TEST(TestPart, random_depends_on_the_seed_and_on_nothing_else) {
  const Dataset whole = numbered(std::vector<int>(100, 0));
  const auto test_of = [&](std::uint64_t seed) {
    return samples_of(split_off_test_part(whole, TestPart::random, seed).test);
  };
  EXPECT_EQ(test_of(5), test_of(5));
  EXPECT_NE(test_of(5), test_of(6));
  EXPECT_EQ(test_of(5).size(), 20U);
}

TEST(TestPart, random_takes_every_sample_equally_often) {
  // 20 classes of 2 samples: a fifth of them are tested, of any class.
  std::vector<int> label;
  for (int i = 0; i < 40; ++i) label.push_back(i / 2);
  const Dataset whole = numbered(label);
  constexpr int seeds = 2000;
  std::vector<int> tested(40, 0);
  for (int seed = 0; seed < seeds; ++seed) {
    for (const int i : samples_of(split_off_test_part(whole, TestPart::random, seed).test)) ++tested[i];
  }
  // Binomial: 400 with a standard deviation of 18.
  for (int i = 0; i < 40; ++i) EXPECT_NEAR(tested[i], seeds / 5, 90) << "sample " << i;
}

TEST(TestPart, parts_say_where_their_samples_are_in_the_file) {
  const Dataset whole = numbered({0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
  for (const TestPart part : {TestPart::random, TestPart::last}) {
    const Task task = split_off_test_part(whole, part, 3);
    EXPECT_EQ(task.test.file_rows(), samples_of(task.test));
    EXPECT_EQ(task.train.file_rows(), samples_of(task.train));
    const Dataset some = limit_samples(task.train, 4, part, 3);
    EXPECT_EQ(some.file_rows(), samples_of(some));
  }
}

TEST(TestPart, random_trains_on_the_only_sample_of_a_class) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Task task = split_off_test_part(numbered({0, 0, 0, 1, 0, 0, 0, 0, 0, 0}), TestPart::random, seed);
    EXPECT_EQ(counts_of(all_labels(task.train))[1], 1) << "seed " << seed;
    EXPECT_EQ(task.test.size(), 2);
  }
}

TEST(TestPart, last_is_the_last_fifth_in_the_order_of_the_file) {
  const Task task = split_off_test_part(numbered({0, 1, 0, 1, 0, 1, 0, 1, 0, 1}), TestPart::last, 9);
  EXPECT_THAT(samples_of(task.test), ElementsAre(8, 9));
  expect_input_error(
      [] {
        split_off_test_part(numbered({0, 0, 0, 0, 1}), TestPart::last, 0);
      },
      {"class 'class 1'", "last fifth", "test-part random"});
}

TEST(TestPart, words_are_known) {
  EXPECT_EQ(parse_test_part("random"), TestPart::random);
  EXPECT_EQ(parse_test_part("last"), TestPart::last);
  expect_input_error([] { parse_test_part("lst"); }, {"'lst'", "Did you mean last?"});
  EXPECT_EQ(parse_test_part("0.3"), TestPart::random);
  EXPECT_EQ(parse_test_part("0.3").share, 0.3);
  EXPECT_EQ(parse_test_part("0.5").share, 0.5);
  EXPECT_EQ(parse_test_part("none"), TestPart::none);
  for (const char* wrong : {"0", "0.6", "1", "-0.2"}) {
    expect_input_error([&] { parse_test_part(wrong); }, {wrong, "above 0 and at most 0.5"});
  }
  expect_input_error([] { parse_test_part("0.2.5"); }, {"0.2.5"});
}

TEST(TestPart, a_share_is_that_of_each_class_and_of_groups) {
  std::vector<int> label(400, 0), group;
  for (int i = 0; i < 400; ++i) {
    label[i] = i % 10 == 0 ? 1 : 0;
    group.push_back(i / 4);
  }
  for (const double share : {0.05, 0.1, 0.3, 0.5}) {
    const TestSplit split = choose_test_part({labels(label), {"a", "b"}}, {}, "t", {TestPart::random, share}, 5);
    const auto rare = std::count_if(split.test.begin(), split.test.end(), [&](int i) { return label[i] == 1; });
    EXPECT_NEAR(static_cast<double>(split.test.size()), 400 * share, 1) << share;
    EXPECT_NEAR(static_cast<double>(rare), 40 * share, 1) << share;
    EXPECT_EQ(split.train.size() + split.test.size(), 400U);
    const TestSplit grouped =
        choose_test_part({labels(label), {"a", "b"}}, labels(group), "t", {TestPart::random, share}, 5);
    EXPECT_NEAR(static_cast<double>(grouped.test.size()), 400.0 / std::round(1 / share), 200 * share) << share;
    for (const int i : grouped.test) {
      EXPECT_FALSE(std::binary_search(grouped.train.begin(), grouped.train.end(), i / 4 * 4)) << i;
    }
  }
}

TEST(LimitSamples, random_keeps_every_class_as_far_as_the_limit_allows_and_its_share) {
  std::vector<int> label;
  for (const int count : {700, 200, 80, 15, 4, 1}) {
    for (int i = 0; i < count; ++i)
      label.push_back(static_cast<int>(label.empty() ? 0 : label.back() + (i == 0 ? 1 : 0)));
  }
  const Dataset train = numbered(label);
  ASSERT_EQ(train.classes(), 6);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<int> before;
    for (const int limit : {3, 6, 10, 50, 100, 400}) {
      const Dataset some = limit_samples(train, limit, TestPart::random, seed);
      const auto count = counts_of(all_labels(some));
      EXPECT_EQ(count.size(), static_cast<std::size_t>(std::min(limit, 6))) << "limit " << limit;
      if (limit >= 50) {
        EXPECT_NEAR(count.at(0), 0.7 * limit, 5) << "limit " << limit;
      }
      const std::vector<int> samples = samples_of(some);
      EXPECT_TRUE(std::includes(samples.begin(), samples.end(), before.begin(), before.end())) << "limit " << limit;
      before = samples;
    }
  }
}

TEST(LimitSamples, keeps_the_first_or_a_random_choice_in_the_order_of_the_file) {
  std::vector<int> sorted(1000);
  for (int i = 0; i < 1000; ++i) sorted[i] = i / 100;
  const Dataset train = numbered(sorted);
  EXPECT_THAT(samples_of(limit_samples(train, 3, TestPart::last, 1)), ElementsAre(0, 1, 2));
  const Dataset some = limit_samples(train, 200, TestPart::random, 1);
  const std::vector<int> samples = samples_of(some);
  EXPECT_TRUE(std::is_sorted(samples.begin(), samples.end()));
  EXPECT_EQ(counts_of(all_labels(some)).size(), 10U) << "no class is lost";
  EXPECT_EQ(some.class_name, train.class_name);
  EXPECT_NE(samples_of(limit_samples(train, 200, TestPart::random, 2)), samples);
  for (const int all : {0, 1000}) EXPECT_EQ(limit_samples(train, all, TestPart::random, 1).digest, train.digest);
  // A larger choice holds the smaller one, so that a learning curve adds samples.
  const std::vector<int> more = samples_of(limit_samples(train, 300, TestPart::random, 1));
  EXPECT_TRUE(std::includes(more.begin(), more.end(), samples.begin(), samples.end()));
  expect_input_error([&] { limit_samples(train, 1001, TestPart::random, 1); }, {"limit 1001", "1000 samples"});
}

}  // namespace
}  // namespace krossfold::data
