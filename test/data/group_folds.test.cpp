// SPDX-License-Identifier: BSD-3-Clause
// Folds of groups: against scikit-learn's (record_group_folds.py), and what holds for any groups.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "krossfold/data/bootstrap.hpp"
#include "krossfold/data/folds.hpp"
#include "test/data/sample_files.hpp"
#include "test/source_folder.hpp"

namespace krossfold::data {
namespace {

std::vector<int> numbers(const std::string& words) {
  std::vector<int> all;
  std::istringstream fields(words);
  for (std::string field; std::getline(fields, field, ',');) all.push_back(std::stoi(field));
  return all;
}

/// The same folds, numbered by their first sample.
std::vector<int> in_order(std::vector<int> fold) {
  std::map<int, int> number;
  for (int& f : fold) f = number.emplace(f, static_cast<int>(number.size())).first->second;
  return fold;
}

std::vector<int> fold_of_each(const FoldSplit& folds, std::size_t n) {
  std::vector<int> fold(n, -1);
  for (int f = 0; f < folds.folds(); ++f) {
    for (const int i : folds.held[f]) fold[static_cast<std::size_t>(i)] = f;
  }
  return fold;
}

TEST(GroupFolds, without_a_permutation_are_those_of_scikit_learn) {
  std::ifstream file(test::source_path(KROSSFOLD_GROUP_FOLDS, "test/data/group_folds_sklearn.txt"));
  int cases = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    SCOPED_TRACE(line);
    std::istringstream parts(line);
    std::string k, label, group, fold;
    std::getline(std::getline(std::getline(std::getline(parts, k, ';'), label, ';'), group, ';'), fold);
    const std::vector<int> expected = numbers(fold);
    const FoldSplit found =
        make_group_folds(std::stoi(k), test::labels(numbers(label)), test::labels(numbers(group)), {});
    EXPECT_EQ(in_order(fold_of_each(found, expected.size())), expected);
    ++cases;
  }
  EXPECT_EQ(cases, 30);
  // A case in which the share of a class of four samples decides: divided by one more, two groups would change places.
  const std::vector<int> label = numbers("1,0,2,2,2,1,2,0,2,1,2,2,2,1,1,0,2,1,2,0,2"),
                         group = numbers("0,3,1,4,2,3,4,0,1,2,3,5,2,0,2,4,0,3,2,5,5"),
                         expected = numbers("0,1,2,1,0,1,1,0,2,0,1,2,0,0,0,1,0,1,0,2,2");
  const FoldSplit found = make_group_folds(3, test::labels(label), test::labels(group), {});
  EXPECT_EQ(in_order(fold_of_each(found, expected.size())), expected);
}

/// Samples of 3 classes in 25 groups of different sizes.
struct Grouped {
  explicit Grouped(unsigned seed) {
    std::mt19937 random(seed);
    for (int g = 0; g < 25; ++g) {
      for (unsigned i = 0; i <= random() % 9; ++i) {
        group.push_back(g);
        label.push_back(static_cast<int>(random() % 3));
      }
    }
  }
  std::vector<int> label, group;
};

TEST(GroupFolds, tear_no_group_apart_whatever_the_seed_and_hang_on_it) {
  std::set<std::vector<int>> different;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Grouped from(3);
    const FoldSplit folds = make_group_folds(5, test::labels(from.label), test::labels(from.group),
                                             StreamId{.seed = seed, .purpose = random_purpose_group_folds});
    const std::vector<int> fold = fold_of_each(folds, from.group.size());
    std::map<int, std::set<int>> folds_of_group;
    for (std::size_t i = 0; i < fold.size(); ++i) {
      ASSERT_GE(fold[i], 0);
      folds_of_group[from.group[i]].insert(fold[i]);
    }
    for (const auto& [group, in] : folds_of_group) EXPECT_EQ(in.size(), 1U) << group;
    different.insert(fold);
  }
  EXPECT_GT(different.size(), 10U);
}

TEST(GroupFolds, of_groups_whose_sizes_all_differ_differ_between_repetitions) {
  std::vector<int> label, group;
  for (int g = 0; g < 20; ++g) {
    for (int i = 0; i <= 2 * g; ++i) {
      label.push_back(g % 2);
      group.push_back(g);
    }
  }
  std::set<std::vector<int>> seeds, repeats;
  for (std::uint32_t r = 0; r < 5; ++r) {
    const StreamId by_seed{.seed = r, .purpose = random_purpose_group_folds};
    const StreamId by_repeat{.purpose = random_purpose_group_folds, .trial = r};
    const auto folds = [&](const StreamId& stream) {
      return make_group_folds(4, test::labels(label), test::labels(group), stream);
    };
    seeds.insert(fold_of_each(folds(by_seed), group.size()));
    repeats.insert(fold_of_each(folds(by_repeat), group.size()));
    for (const std::vector<int>& held : folds(by_repeat).held) {
      EXPECT_NEAR(static_cast<double>(held.size()), group.size() / 4.0, group.size() / 12.0) << "about equal parts";
    }
  }
  EXPECT_EQ(seeds.size(), 1U) << "as those of scikit-learn";
  EXPECT_EQ(repeats.size(), 5U);
}

TEST(GroupBootstrap, draws_whole_groups_of_each_fold) {
  const Grouped from(5);
  const std::size_t n = from.group.size();
  const FoldSplit folds = make_group_folds(4, test::labels(from.label), test::labels(from.group), {});
  std::map<int, int> size;
  for (const int g : from.group) ++size[g];
  for (int b = 0; b < 10; ++b) {
    const Bootstrap bootstrap = draw_bootstrap(folds, 7, b, test::labels(from.group));
    std::vector<int> times(n, 0);
    for (int f = 0; f < folds.folds(); ++f) {
      std::map<int, int> drawn_of_group;
      std::set<int> here, groups_of_fold;
      for (const int i : folds.held[f]) {
        here.insert(i);
        groups_of_fold.insert(from.group[static_cast<std::size_t>(i)]);
      }
      for (const int i : bootstrap.held_out(f)) {
        EXPECT_TRUE(here.contains(i)) << "a draw of another fold";
        ++times[static_cast<std::size_t>(i)];
        ++drawn_of_group[from.group[static_cast<std::size_t>(i)]];
      }
      std::size_t groups = 0;
      for (const auto& [group, samples] : drawn_of_group) {
        EXPECT_EQ(samples % size[group], 0) << group;
        groups += static_cast<std::size_t>(samples / size[group]);
      }
      EXPECT_EQ(groups, groups_of_fold.size()) << "as many groups as the fold has";
    }
    std::map<int, std::set<int>> times_of_group;
    for (std::size_t i = 0; i < n; ++i) times_of_group[from.group[i]].insert(times[i]);
    for (const auto& [group, counts] : times_of_group) EXPECT_EQ(counts.size(), 1U) << group << " is drawn as a whole";
    for (const int i : bootstrap.out_of_bag(static_cast<int>(n))) EXPECT_EQ(times[static_cast<std::size_t>(i)], 0);
  }
}

}  // namespace
}  // namespace krossfold::data
