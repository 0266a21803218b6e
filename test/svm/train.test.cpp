// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/train.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "krossfold/core/poll.hpp"
#include "test/core/refusal.hpp"
#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

void expect_identical(const svm::Machine& a, const svm::Machine& b) {
  ASSERT_EQ(a.support.size(), b.support.size());
  EXPECT_EQ(a.bias, b.bias);
  for (int p = 0; p < a.problems(); ++p) {
    for (int v = 0; v < a.support.size(); ++v) ASSERT_EQ(a.coefficient(p, v), b.coefficient(p, v)) << p << ", " << v;
  }
}

TEST(Train, meets_the_kkt_conditions_of_its_own_decision_values) {
  const data::Dataset set = test::some_digits(300, {3, 5, 8});
  const double c = 0.5, tolerance = 1e-3;
  const svm::Machine machine = svm::train(Device(), set, {.c = {c}, .tolerance = tolerance});
  EXPECT_EQ(machine.kernel.gamma, 1.0 / 64);
  EXPECT_EQ(machine.c, c);
  const auto on_all = svm::decision_values(Device(), machine, set);
  const auto on_support = svm::decision_values(Device(), machine, machine.support);
  ASSERT_EQ(machine.fit.size(), 3U);
  for (int p = 0; p < 3; ++p) {
    EXPECT_TRUE(machine.fit[p].converged);
    int bounded = 0, inside = 0;
    double sum = 0;
    for (int v = 0; v < machine.support.size(); ++v) {
      const double y = machine.support.label(v) == p ? 1 : -1, alpha = y * machine.coefficient(p, v);
      const double margin = y * on_support(v, p);
      sum += machine.coefficient(p, v);
      EXPECT_GE(alpha, 0);
      EXPECT_LE(alpha, c);
      // The bias lies midway between gradients that differ by at most the tolerance; decision values are rounded.
      EXPECT_LE(alpha > 0 ? margin : 0, 1 + tolerance) << p << ", " << v;
      EXPECT_GE(alpha < c ? margin : 1, 1 - tolerance) << p << ", " << v;
      bounded += alpha == c ? 1 : 0;
    }
    for (int i = 0; i < set.size(); ++i) inside += (set.label(i) == p ? 1 : -1) * on_all(i, p) < 1 - tolerance ? 1 : 0;
    EXPECT_NEAR(sum, 0, 1e-12 * set.size());
    EXPECT_EQ(bounded, machine.fit[p].bounded);
    EXPECT_GT(bounded, 0);
    EXPECT_LE(inside, bounded);
  }
}

TEST(Train, gives_the_same_machine_with_little_memory) {
  const data::Dataset set = test::some_digits(200, {3, 5, 8});
  for (const auto multiclass : {svm::Multiclass::one_vs_rest, svm::Multiclass::one_vs_one}) {
    const svm::TrainParams whole{.c = {1, 10}, .gamma = 0.01, .multiclass = multiclass};
    svm::TrainParams rows = whole;
    rows.memory = 1;
    expect_identical(svm::train(Device(), set, whole), svm::train(Device(), set, rows));
  }
}

TEST(Train, trains_a_machine_for_each_pair_of_classes) {
  const data::Dataset all = test::some_digits(500, {1, 3, 5, 8}), other = data::rows(all, 400, 100);
  const svm::Machine machine = svm::train(Device(), data::rows(all, 0, 400),
                                          {.c = {10}, .gamma = 0.02, .multiclass = svm::Multiclass::one_vs_one});
  EXPECT_EQ(machine.problems(), 6);
  const auto predicted = svm::predicted_classes(machine, svm::decision_values(Device(), machine, other));
  int wrong = 0;
  for (int i = 0; i < other.size(); ++i) wrong += predicted[i] != other.label(i);
  EXPECT_LE(wrong, 5);
}

TEST(Train, says_which_problems_did_not_converge) {
  const data::Dataset set = test::some_digits(200, {3, 5, 8});
  const svm::Machine machine = svm::train(Device(), set, {.c = {1e4}, .gamma = 1e-4, .max_iterations = 1});
  for (const svm::FitSummary& fit : machine.fit) {
    EXPECT_FALSE(fit.converged);
    EXPECT_GT(fit.violation, 1e-3);
  }
}

TEST(Train, ends_when_it_is_stopped) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(svm::train(Device(), test::some_digits(50, {0, 1}), {.stop = stop.get_token()}), Stopped);
}

TEST(Train, refuses_what_does_not_qualify) {
  const data::Dataset set = test::some_digits(50, {0, 1});
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const auto refusal = [&](const svm::TrainParams& params) {
    return test::refusal([&] { svm::train(Device(), set, params); });
  };
  for (const std::vector<double>& c :
       std::vector<std::vector<double>>{{}, {0}, {-1}, {nan}, {infinity}, {2, 1}, {1, 1}}) {
    EXPECT_THAT(refusal({.c = c}), testing::HasSubstr("bad values of C"));
  }
  for (const double gamma : {0.0, -1.0, nan, infinity}) {
    EXPECT_THAT(refusal({.gamma = gamma}), testing::HasSubstr("bad gamma"));
  }
  for (const double tolerance : {0.0, 1.0, nan}) {
    EXPECT_THAT(refusal({.tolerance = tolerance}), testing::HasSubstr("bad tolerance"));
  }
  EXPECT_THAT(refusal({.max_iterations = 0}), testing::HasSubstr("0 iterations"));
  for (const data::Scale& scale : std::vector<data::Scale>{{{0}, {0}}, {{0, 0}, {1}}, {{0}, {1, 1}}, {{}, {}}}) {
    EXPECT_THAT(refusal({.scale = scale}), testing::HasSubstr("does not suit 64 features"));
  }
  data::Dataset unlabelled = set, alone = set;
  unlabelled.label = {};
  alone.class_name = {"0"};
  for (const data::Dataset& bad : {unlabelled, alone}) {
    EXPECT_THAT(test::refusal([&] { svm::train(Device(), bad); }), testing::HasSubstr("nothing to separate"));
  }
}

}  // namespace
}  // namespace krossfold
