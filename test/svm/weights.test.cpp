// SPDX-License-Identifier: BSD-3-Clause
// Class weights and sample weights: against scikit-learn's (test/reference/record_weights.py), and against duplicated samples.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "krossfold/svm/train.hpp"
#include "test/svm/recorded.hpp"
#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

data::Dataset set_of(const std::vector<std::vector<double>>& x, const std::vector<int>& y, int classes) {
  const Matrix<float> raw("krossfold::test::raw", x.size(), x.front().size());
  const Vector<int> label("krossfold::test::label", x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x[i].size(); ++j) raw(i, j) = static_cast<float>(x[i][j]);
    label(i) = y[i];
  }
  std::vector<std::string> names;
  for (int c = 0; c < classes; ++c) names.push_back(std::to_string(c));
  return data::make_dataset("weighted", raw, label, names);
}

Vector<const double> weights_of(const std::vector<double>& weight) {
  const Vector<double> values("krossfold::test::weight", weight.size());
  std::copy(weight.begin(), weight.end(), values.data());
  return values;
}

TEST(Weights, give_the_decision_values_of_scikit_learn) {
  std::vector<std::vector<double>> x;
  std::vector<int> y;
  std::vector<double> weight;
  for (const auto& line : test::recorded("weights_sklearn.csv", "sample")) {
    x.push_back({std::stod(line[1]), std::stod(line[2])});
    y.push_back(std::stoi(line[3]));
    weight.push_back(std::stod(line[4]));
  }
  const auto cases = test::recorded("weights_sklearn.csv", "case");
  ASSERT_EQ(cases.size(), 12U);
  for (const auto& line : cases) {
    SCOPED_TRACE(line[1] + ", class weights " + line[2] + ", sample weights " + line[3]);
    data::Dataset set = set_of(x, y, 3);
    if (line[3] == "1") set.weight = weights_of(weight);
    svm::TrainParams params{.c = {2}, .gamma = 0.7, .tolerance = 1e-8};
    params.multiclass = svm::parse_multiclass(line[1]);
    params.class_weights = data::parse_class_weights(line[2] == "given" ? "0:1,1:5,2:0.5" : line[2], set.class_name);
    params.scale = data::fit_scale(set, "none");
    const svm::Machine machine = svm::train(Device(), set, params);
    const auto found = svm::decision_values(Device(), machine, set);
    ASSERT_EQ(line.size(), 4 + x.size() * 3);
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t p = 0; p < 3; ++p) {
        largest = std::max(largest, std::abs(found(i, p) - std::stod(line[4 + 3 * i + p])));
      }
    }
    EXPECT_LT(largest, 2e-5);
  }
}

/// Samples of overlapping clusters, with whole weights; many are at their bounds.
struct Weighted {
  explicit Weighted(unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (int i = 0; i < 150; ++i) {
      const int c = static_cast<int>(random() % 2);
      x.push_back({normal(random) + c, normal(random)});
      y.push_back(c);
      weight.push_back(static_cast<double>(random() % 4));
    }
  }
  std::vector<std::vector<double>> x;
  std::vector<int> y;
  std::vector<double> weight;
};

TEST(Weights, are_the_same_as_so_many_samples) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(seed);
    const Weighted from(seed);
    std::vector<std::vector<double>> copies;
    std::vector<int> labels;
    int bounded = 0;
    for (std::size_t i = 0; i < from.x.size(); ++i) {
      for (int k = 0; k < from.weight[i]; ++k) {
        copies.push_back(from.x[i]);
        labels.push_back(from.y[i]);
      }
    }
    data::Dataset set = set_of(from.x, from.y, 2);
    const data::Dataset duplicated = set_of(copies, labels, 2);
    set.weight = weights_of(from.weight);
    const data::Scale none = data::fit_scale(set, "none");
    for (const std::vector<double>& path : {std::vector<double>{3.0}, std::vector<double>{0.01, 0.2, 3.0}}) {
      const svm::TrainParams params{.c = path, .gamma = 0.5, .tolerance = 1e-8, .scale = none};
      const svm::Machine weighted = svm::train(Device(), set, params),
                         copied = svm::train(Device(), duplicated, params);
      EXPECT_NEAR(weighted.fit[0].dual_objective, copied.fit[0].dual_objective, 1e-6 * copied.fit[0].dual_objective);
      const auto found = svm::decision_values(Device(), weighted, set),
                 expected = svm::decision_values(Device(), copied, set);
      for (int i = 0; i < set.size(); ++i) EXPECT_NEAR(found(i, 0), expected(i, 0), 2e-5) << i;
      bounded += weighted.fit[0].bounded;
      EXPECT_TRUE(weighted.fit[0].converged);
    }
    EXPECT_GT(bounded, 50);
  }
}

TEST(Weights, bound_each_coefficient) {
  const Weighted from(4);
  data::Dataset set = set_of(from.x, from.y, 2);
  const data::Scale none = data::fit_scale(set, "none");
  set.weight = weights_of(from.weight);
  const double c = 0.7;
  const svm::Machine machine =
      svm::train(Device(), set, {.c = {0.1, c}, .gamma = 0.5, .tolerance = 1e-6, .scale = none});
  int bounded = 0, at = 0;
  for (int i = 0; i < set.size(); ++i) {
    const bool kept = at < machine.support.size() && machine.support.raw(at, 0) == set.raw(i, 0) &&
                      machine.support.raw(at, 1) == set.raw(i, 1);
    if (!kept) continue;
    const double alpha = std::abs(machine.coefficient(0, at++));
    EXPECT_GT(from.weight[i], 0) << "a sample of weight 0 is no support vector";
    EXPECT_LE(alpha, c * from.weight[i]);
    bounded += alpha == c * from.weight[i] ? 1 : 0;
  }
  EXPECT_EQ(at, machine.support.size());
  EXPECT_EQ(bounded, machine.fit[0].bounded);
  EXPECT_GT(bounded, 20);
}

/// Overlapping classes of so many samples.
data::Dataset two_clouds(int first, int second, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> x;
  std::vector<int> y;
  for (int i = 0; i < first + second; ++i) {
    const int label = i < second ? 1 : 0;
    x.push_back({normal(random) + 1.5 * label, normal(random) + 1.5 * label});
    y.push_back(label);
  }
  return set_of(x, y, 2);
}

/// Half the interval of biases, and its middle, by which no sample at its bound lies beyond its margin, with all samples at their bounds.
std::pair<double, double> interval_of_biases(const svm::Machine& machine, const data::Dataset& set, double gamma) {
  double lowest = -HUGE_VAL, highest = HUGE_VAL;
  const int n = set.size();
  for (int i = 0; i < n; ++i) {
    double value = 0;
    for (int j = 0; j < n; ++j) {
      const double dx = double{set.raw(i, 0)} - set.raw(j, 0), dy = double{set.raw(i, 1)} - set.raw(j, 1);
      value += machine.coefficient(0, j) * std::exp(-gamma * (dx * dx + dy * dy));
    }
    if (machine.coefficient(0, i) > 0) highest = std::min(highest, 1 - value);
    if (machine.coefficient(0, i) < 0) lowest = std::max(lowest, -1 - value);
  }
  return {0.5 * (highest - lowest), 0.5 * (highest + lowest)};
}

/// With balanced weights both classes have the same sum of bounds, and rounding keeps one sample from its own: by the more of it, the rarer
/// its class is.
TEST(Weights, that_are_balanced_leave_the_bias_in_the_middle_of_what_is_optimal) {
  int kept_from_bound = 0;
  const double gamma = 1e-5;
  for (const auto& [others, some] : {std::pair(200, 51), {206, 51}, {227, 51}, {1500, 3}, {2000, 20}}) {
    const data::Dataset set = two_clouds(others, some, 20);
    for (const std::vector<double>& path :
         {std::vector<double>{0.003}, {0.01}, {0.03}, {0.1}, {0.001, 0.01}, {0.003, 0.01, 0.03}}) {
      SCOPED_TRACE(std::to_string(others) + " and " + std::to_string(some) +
                   " samples, C = " + std::to_string(path.back()));
      svm::TrainParams params{.c = path, .gamma = gamma, .scale = data::fit_scale(set, "none")};
      params.class_weights = data::parse_class_weights("balanced", set.class_name);
      const svm::Machine machine = svm::train(Device(), set, params);
      EXPECT_TRUE(machine.fit[0].converged);
      kept_from_bound += machine.fit[0].bounded < set.size() ? 1 : 0;
      ASSERT_EQ(machine.support.size(), set.size());
      const auto [half, middle] = interval_of_biases(machine, set, gamma);
      ASSERT_GT(half, 0.5);
      EXPECT_NEAR(machine.bias[0], middle, 1e-5);
    }
  }
  EXPECT_GT(kept_from_bound, 0) << "the cases do not test a sample that rounding keeps from its bound";
}

/// One sample counts 1e13 times and is far from its bound, though its coefficient is a tiny share of it.
TEST(Weights, that_are_huge_do_not_make_a_free_sample_one_at_its_bound) {
  int free = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    data::Dataset set = two_clouds(9, 3, seed);
    std::vector<double> weight(12, 1);
    weight[0] = 1e13;
    set.weight = weights_of(weight);
    const svm::TrainParams params{.c = {0.2}, .gamma = 0.5, .tolerance = 1e-8, .scale = data::fit_scale(set, "none")};
    const svm::Machine machine = svm::train(Device(), set, params);
    if (machine.support.size() != 12 || machine.fit[0].bounded != 11) continue;
    ++free;
    const double sign = machine.coefficient(0, 0) > 0 ? 1 : -1;
    EXPECT_NEAR(sign * svm::decision_values(Device(), machine, set)(0, 0), 1, 1e-4)
        << "a free sample lies on its margin";
  }
  EXPECT_GT(free, 3);
}

TEST(Weights, of_1_change_no_bit) {
  const data::Dataset set = test::some_digits(200, {3, 5, 8});
  data::Dataset weighted = set;
  weighted.weight = weights_of(std::vector<double>(200, 1.0));
  const svm::TrainParams params{.c = {0.1, 10}};
  const svm::Machine a = svm::train(Device(), set, params), b = svm::train(Device(), weighted, params);
  ASSERT_EQ(a.support.size(), b.support.size());
  EXPECT_EQ(a.bias, b.bias);
  for (int p = 0; p < a.problems(); ++p) {
    for (int v = 0; v < a.support.size(); ++v) ASSERT_EQ(a.coefficient(p, v), b.coefficient(p, v));
  }
}

}  // namespace
}  // namespace krossfold
