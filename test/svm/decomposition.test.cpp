// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/decomposition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>

#include "krossfold/core/error.hpp"
#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

using svm::Multiclass;

TEST(Multiclass, is_parsed_by_its_name_alone) {
  EXPECT_EQ(svm::parse_multiclass("ovr"), Multiclass::one_vs_rest);
  EXPECT_EQ(svm::parse_multiclass("ovo"), Multiclass::one_vs_one);
  for (const char* name : {"", "OVR", "ovo ", "one"}) EXPECT_THROW(svm::parse_multiclass(name), Error) << name;
}

TEST(BinaryProblems, are_as_many_as_classes_or_pairs_of_them) {
  EXPECT_EQ(svm::binary_problems(Multiclass::one_vs_rest, 10), 10);
  EXPECT_EQ(svm::binary_problems(Multiclass::one_vs_one, 10), 45);
  EXPECT_EQ(svm::binary_problems(Multiclass::one_vs_one, 2), 1);
}

TEST(ClassPairs, come_in_the_order_of_libsvm) {
  const std::vector<std::pair<int, int>> expected{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  EXPECT_EQ(svm::class_pairs(4), expected);
}

/// The signs of all samples in every problem, for labels 0 1 2 1 0 2 2 with samples 3 and 5 held out.
std::vector<std::vector<int>> signs(Multiclass kind) {
  const Vector<int> label("krossfold::test::label", 7), held("krossfold::test::held", 7);
  const int labels[] = {0, 1, 2, 1, 0, 2, 2};
  for (int i = 0; i < 7; ++i) label(i) = labels[i];
  held(3) = 1;
  held(5) = 7;  // anything but 0
  const Vector<const int, Device> label_device = on_device<Device>(label), held_device = on_device<Device>(held);
  const auto sign = on_host(svm::make_signs<Device>(Device(), kind, 3, label_device, held_device));
  std::vector<std::vector<int>> y(sign.extent(0));
  for (std::size_t p = 0; p < y.size(); ++p) {
    for (std::size_t i = 0; i < sign.extent(1); ++i) y[p].push_back(sign(p, i));
  }
  return y;
}

TEST(MakeSigns, of_one_vs_rest_set_a_class_against_all_others_that_are_not_held_out) {
  const std::vector<std::vector<int>> expected{
      {1, -1, -1, 0, 1, 0, -1}, {-1, 1, -1, 0, -1, 0, -1}, {-1, -1, 1, 0, -1, 0, 1}};
  EXPECT_EQ(signs(Multiclass::one_vs_rest), expected);
}

TEST(MakeSigns, of_one_vs_one_leave_out_other_classes_and_those_held_out) {
  const std::vector<std::vector<int>> expected{
      {1, -1, 0, 0, 1, 0, 0}, {1, 0, -1, 0, 1, 0, -1}, {0, 1, -1, 0, 0, 0, -1}};
  EXPECT_EQ(signs(Multiclass::one_vs_one), expected);
}

/// Voting as in LIBSVM's svm_predict_values: one counter per class, the first largest wins.
int vote_as_libsvm(const std::vector<double>& decision, int classes) {
  std::vector<int> vote(classes, 0);
  int p = 0;
  for (int i = 0; i < classes; ++i) {
    for (int j = i + 1; j < classes; ++j) {
      if (decision[p] > 0) {
        ++vote[i];
      } else {
        ++vote[j];
      }
      ++p;
    }
  }
  int most = 0;
  for (int i = 1; i < classes; ++i) {
    if (vote[i] > vote[most]) most = i;
  }
  return most;
}

std::vector<int> choose(Multiclass kind, int classes, const Matrix<double>& value) {
  const int sets = static_cast<int>(value.extent(0)) / svm::binary_problems(kind, classes);
  const Matrix<int, Device> choice("krossfold::test::choice", sets, value.extent(1));
  const Matrix<const double, Device> value_device = on_device<Device>(value);
  svm::choose_classes<Device>(Device(), choice, value_device, kind, classes);
  const auto found = on_host(choice);
  return {found.data(), found.data() + found.size()};
}

TEST(ChooseClasses, of_one_vs_one_counts_votes_as_libsvm_does) {
  for (const int classes : {2, 3, 5, 10}) {
    const int problems = svm::binary_problems(Multiclass::one_vs_one, classes), sets = 3, n = 200;
    const Matrix<double> value("krossfold::test::value", sets * problems, n);
    const unsigned seed = 900 + static_cast<unsigned>(classes);
    std::mt19937 random(seed);
    for (int r = 0; r < sets * problems; ++r) {
      for (int i = 0; i < n; ++i) value(r, i) = static_cast<int>(random() % 5) - 2;  // 0 is not a vote for the first
    }
    const auto found = choose(Multiclass::one_vs_one, classes, value);
    for (int s = 0; s < sets; ++s) {
      for (int i = 0; i < n; ++i) {
        std::vector<double> decision;
        for (int p = 0; p < problems; ++p) decision.push_back(value(s * problems + p, i));
        ASSERT_EQ(found[s * n + i], vote_as_libsvm(decision, classes))
            << "seed " << seed << ", " << classes << " classes, set " << s << ", sample " << i;
      }
    }
  }
}

TEST(ChooseClasses, of_one_vs_one_takes_what_is_no_number_for_a_vote_against_the_first) {
  const int classes = 7, problems = svm::binary_problems(Multiclass::one_vs_one, classes), n = 300;
  const Matrix<double> value("krossfold::test::value", problems, n);
  std::mt19937 random(31);
  for (int p = 0; p < problems; ++p) {
    for (int i = 0; i < n; ++i) {
      const int drawn = static_cast<int>(random() % 4);
      value(p, i) = drawn == 3 ? std::numeric_limits<double>::quiet_NaN() : drawn - 1;
    }
  }
  const auto found = choose(Multiclass::one_vs_one, classes, value);
  for (int i = 0; i < n; ++i) {
    std::vector<double> decision;
    for (int p = 0; p < problems; ++p) decision.push_back(value(p, i));
    ASSERT_EQ(found[i], vote_as_libsvm(decision, classes)) << "sample " << i;
  }
}

/// A pass over all pairs for each class took 200 times as long as one pass at 400 classes.
TEST(ChooseClasses, of_one_vs_one_takes_time_as_the_pairs_do) {
  using Clock = std::chrono::steady_clock;
  const int classes = 400, problems = svm::binary_problems(Multiclass::one_vs_one, classes), n = 16;
  const Matrix<double> value("krossfold::test::value", problems, n);
  std::mt19937 random(32);
  for (int p = 0; p < problems; ++p) {
    for (int i = 0; i < n; ++i) value(p, i) = static_cast<int>(random() % 3) - 1;
  }
  const Matrix<int> choice("krossfold::test::choice", 1, n);
  double of_votes = 1e9, of_libsvm = 1e9;  // seconds, the shortest of some
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto begin = Clock::now();
    svm::choose_classes<Host>(Host(), choice, value, Multiclass::one_vs_one, classes);
    fence(Host(), "krossfold::test::choose_classes");
    of_votes = std::min(of_votes, std::chrono::duration<double>(Clock::now() - begin).count());
    double spent = 0;
    for (int i = 0; i < n; ++i) {
      std::vector<double> decision;
      for (int p = 0; p < problems; ++p) decision.push_back(value(p, i));
      const auto counting = Clock::now();
      ASSERT_EQ(choice(0, i), vote_as_libsvm(decision, classes)) << "sample " << i;
      spent += std::chrono::duration<double>(Clock::now() - counting).count();
    }
    of_libsvm = std::min(of_libsvm, spent);
  }
  EXPECT_LT(of_votes, 50 * of_libsvm);
}

TEST(ChooseClasses, of_one_vs_one_breaks_ties_for_the_lowest_class) {
  const Matrix<double> value("krossfold::test::value", 3, 3);
  const double decisions[3][3] = {
      {1, -9, 1},    // 0 beats 1, 2 beats 0, 1 beats 2: one vote each, 0 wins whatever the magnitudes
      {0, 1, 1},     // a decision of 0 is a vote for the second: 1, 0, 1 -> class 1
      {-1, -1, -5},  // 1, 2, 2 -> class 2
  };
  for (int i = 0; i < 3; ++i) {
    for (int p = 0; p < 3; ++p) value(p, i) = decisions[i][p];
  }
  EXPECT_EQ(choose(Multiclass::one_vs_one, 3, value), (std::vector<int>{0, 1, 2}));
}

TEST(ChooseClasses, of_one_vs_rest_takes_the_first_of_the_largest) {
  const Matrix<double> value("krossfold::test::value", 6, 2);
  const double values[6][2] = {{1, -3}, {2, -1}, {2, -1}, {0, 5}, {-1, 5}, {0, 5}};
  for (int r = 0; r < 6; ++r) {
    for (int i = 0; i < 2; ++i) value(r, i) = values[r][i];
  }
  EXPECT_EQ(choose(Multiclass::one_vs_rest, 3, value), (std::vector<int>{1, 1, 0, 0}));
}

}  // namespace
}  // namespace krossfold
