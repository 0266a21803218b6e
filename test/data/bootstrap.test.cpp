// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "test/data/sample_files.hpp"

namespace krossfold::data {
namespace {

using test::expect_input_error;
using test::labels;

constexpr FoldKind kinds[] = {FoldKind::contiguous, FoldKind::stratified, FoldKind::shuffled};

Vector<const int> random_labels(int n, std::mt19937& random) {
  std::vector<int> label(n);
  for (int& value : label) value = static_cast<int>(random() % 4);
  return labels(label);
}

FoldSplit contiguous(int n, int k) { return make_folds(FoldKind::contiguous, k, labels(std::vector<int>(n, 0)), 0); }

std::set<int> distinct(const std::vector<int>& drawn) { return {drawn.begin(), drawn.end()}; }

TEST(Bootstrap, no_image_is_on_both_sides_of_a_fold) {
  const unsigned seed = 81;
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    const int n = 2 + static_cast<int>(random() % 200), k = 2 + static_cast<int>(random() % std::min(n - 1, 30));
    const auto label = random_labels(n, random);
    for (const FoldKind kind : kinds) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", round " << round << ": n " << n << ", k " << k
                                      << ", kind " << static_cast<int>(kind));
      const FoldSplit split = make_folds(kind, k, label, round);
      const Bootstrap sample = draw_bootstrap(split, round, static_cast<int>(random() % 12));
      ASSERT_EQ(sample.folds(), k);
      for (int f = 0; f < k; ++f) {
        const std::vector<int>&held = sample.held_out(f), training = sample.training(f);
        std::vector<int> on_both_sides;
        std::set_intersection(held.begin(), held.end(), training.begin(), training.end(),
                              std::back_inserter(on_both_sides));
        ASSERT_THAT(on_both_sides, testing::IsEmpty()) << "fold " << f;
        // The held-out part contains no sample of another fold either.
        const std::set<int> images = distinct(held);
        ASSERT_TRUE(std::includes(split.held[f].begin(), split.held[f].end(), images.begin(), images.end()));
      }
    }
  }
}

TEST(Bootstrap, sizes_are_those_of_the_folds_and_all_parts_are_ascending) {
  const unsigned seed = 82;
  std::mt19937 random(seed);
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", round " << round);
    const int n = 2 + static_cast<int>(random() % 300), k = 2 + static_cast<int>(random() % std::min(n - 1, 9));
    const FoldSplit split = contiguous(n, k);
    const Bootstrap sample = draw_bootstrap(split, seed, round);
    const std::vector<int> all = sample.all(), out_of_bag = sample.out_of_bag(n);
    ASSERT_EQ(static_cast<int>(all.size()), n);
    ASSERT_TRUE(std::is_sorted(all.begin(), all.end()));
    for (int f = 0; f < k; ++f) {
      ASSERT_EQ(sample.held_out(f).size(), split.held[f].size());
      const std::vector<int> training = sample.training(f);
      std::vector<int> both;
      ASSERT_TRUE(std::is_sorted(sample.held_out(f).begin(), sample.held_out(f).end()));
      ASSERT_TRUE(std::is_sorted(training.begin(), training.end()));
      std::merge(training.begin(), training.end(), sample.held_out(f).begin(), sample.held_out(f).end(),
                 std::back_inserter(both));
      ASSERT_EQ(both, all);
    }
    // Every sample was either drawn or is out of bag.
    ASSERT_TRUE(std::is_sorted(out_of_bag.begin(), out_of_bag.end()));
    std::set<int> either = distinct(all);
    ASSERT_EQ(either.size() + out_of_bag.size(), static_cast<std::size_t>(n));
    either.insert(out_of_bag.begin(), out_of_bag.end());
    ASSERT_EQ(static_cast<int>(either.size()), n);
    ASSERT_EQ(*either.begin(), 0);
    ASSERT_EQ(*either.rbegin(), n - 1);
  }
}

TEST(Bootstrap, a_share_of_one_over_e_is_never_drawn) {
  const int n = 50000, k = 5, in_fold = n / k;
  const FoldSplit split = contiguous(n, k);
  const double never = std::pow(1 - 1.0 / in_fold, in_fold);
  EXPECT_NEAR(never, std::exp(-1), 1e-4);
  for (int bootstrap = 0; bootstrap < 12; ++bootstrap) {
    const auto left = static_cast<double>(draw_bootstrap(split, 83, bootstrap).out_of_bag(n).size()) / n;
    // The number of samples never drawn has variance m (1/e - 2/e^2) in each fold; allow five standard deviations.
    EXPECT_NEAR(left, never, 5 * std::sqrt((std::exp(-1) - 2 * std::exp(-2)) / n))
        << "seed 83, bootstrap " << bootstrap;
  }
}

TEST(Bootstrap, every_sample_of_a_fold_is_drawn_equally_often) {
  const FoldSplit split = contiguous(20, 2);
  constexpr int bootstraps = 5000;
  std::vector<double> times(20);
  for (int b = 0; b < bootstraps; ++b) {
    for (const int sample : draw_bootstrap(split, 84, b).all()) ++times[sample];
  }
  double chi_squared = 0;
  for (const double t : times) chi_squared += (t - bootstraps) * (t - bootstraps) / bootstraps;
  EXPECT_LT(chi_squared, 42.3) << "seed 84";  // the 0.1 % point for 18 degrees of freedom
}

TEST(Bootstrap, depends_on_seed_and_number_and_on_nothing_drawn_before) {
  const FoldSplit split = contiguous(300, 3);
  const auto third = draw_bootstrap(split, 85, 3).drawn;
  for (const int other : {0, 1, 2, 4}) EXPECT_NE(draw_bootstrap(split, 85, other).drawn, third);
  EXPECT_EQ(draw_bootstrap(split, 85, 3).drawn, third);
  EXPECT_NE(draw_bootstrap(split, 86, 3).drawn, third);
  // Folds draw independently: folds of equal size do not draw the same positions.
  const auto& sample = third;
  std::vector<int> shifted = sample[0];
  for (int& i : shifted) i += 100;
  EXPECT_NE(shifted, sample[1]);
}

// An independent Philox in Python computed these draws. They must never change, or studies begun with them could not be
// continued.
TEST(Bootstrap, draws_never_change) {
  EXPECT_THAT(draw_bootstrap(contiguous(16, 2), 20260131, 5).drawn,
              testing::ElementsAre(testing::ElementsAre(1, 1, 4, 5, 5, 6, 7, 7),
                                   testing::ElementsAre(8, 9, 9, 11, 11, 12, 15, 15)));
}

TEST(Bootstrap, of_one_sample_a_fold_is_the_data_itself) {
  const Bootstrap sample = draw_bootstrap(contiguous(4, 4), 1, 0);
  EXPECT_THAT(sample.all(), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(sample.out_of_bag(4), testing::IsEmpty());
}

TEST(Bootstrap, refuses_numbers_that_would_repeat) {
  const FoldSplit split = contiguous(4, 2);
  expect_input_error([&] { draw_bootstrap(split, 0, -1); }, {"bootstrap -1"});
  expect_input_error([&] { draw_bootstrap(split, 0, 65536); }, {"bootstrap 65536", "65536 bootstraps"});
  EXPECT_NO_THROW(draw_bootstrap(split, 0, 65535));
  expect_input_error([] { draw_bootstrap(contiguous(65537, 65537), 0, 0); }, {"65537 folds", "65536 folds"});
}

}  // namespace
}  // namespace krossfold::data
