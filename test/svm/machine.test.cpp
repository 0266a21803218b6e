// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "krossfold/core/error.hpp"
#include "krossfold/svm/train.hpp"
#include "test/svm/overlapping.hpp"
#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

svm::Machine train(const data::Dataset& set, double gamma, double c) {
  return svm::train(Device(), set, {.c = {c}, .gamma = gamma});
}

/// The largest difference of the decision values from their definition in double.
double largest_error(const svm::Machine& machine, const data::Dataset& set) {
  const auto decision = svm::decision_values(Device(), machine, set);
  const auto x = data::apply_scale(machine.scale, set.raw), s = data::apply_scale(machine.scale, machine.support.raw);
  double most = 0;
  for (int i = 0; i < set.size(); ++i) {
    for (int c = 0; c < machine.problems(); ++c) {
      double right = machine.bias[c];
      for (int v = 0; v < machine.support.size(); ++v) {
        double d2 = 0;
        for (int k = 0; k < set.features(); ++k) d2 += (x(i, k) - s(v, k)) * (x(i, k) - s(v, k));
        right += machine.coefficient(c, v) * std::exp(-machine.kernel.gamma * d2);
      }
      most = std::max(most, std::abs(decision(i, c) - right));
    }
  }
  return most;
}

TEST(Machine, is_refused_where_a_number_of_it_is_not_finite) {
  const svm::Machine machine = train(test::some_digits(100, {0, 1, 5}), 0.01, 3);
  EXPECT_NO_THROW(svm::require_finite(machine));
  svm::Machine without_bias = machine, without_coefficient = machine;
  without_bias.bias[1] = std::nan("");
  without_coefficient.coefficient = Matrix<double>("krossfold::test::coefficient", 3, machine.support.size());
  Kokkos::deep_copy(without_coefficient.coefficient, machine.coefficient);
  without_coefficient.coefficient(2, 4) = -INFINITY;
  for (const svm::Machine* damaged : {&without_bias, &without_coefficient}) {
    try {
      svm::require_finite(*damaged);
      FAIL() << "it passed";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::failed);
      EXPECT_NE(std::string(error.what()).find("Scale the features"), std::string::npos) << error.what();
    }
  }
}

TEST(Machine, keeps_only_support_vectors_and_decides_by_the_definition) {
  const data::Dataset all = test::some_digits(400, {0, 1, 5, 8});
  const data::Dataset set = data::rows(all, 0, 250), other = data::rows(all, 250, 150);
  const svm::Machine machine = train(set, 0.01, 3);
  EXPECT_LT(machine.support.size(), set.size());
  EXPECT_EQ(machine.problems(), 4);
  EXPECT_LE(largest_error(machine, other), 2e-5);
}

TEST(Machine, decides_by_the_definition_where_coefficients_are_large) {
  const test::Overlapping cloud(300, 2, 12);
  const Matrix<float> raw("krossfold::test::raw", 300, 2);
  const Vector<int> label("krossfold::test::label", 300);
  for (int i = 0; i < 300; ++i) {
    label(i) = cloud.y[i] > 0 ? 1 : 0;
    for (int f = 0; f < 2; ++f) raw(i, f) = static_cast<float>(cloud.x(i, f));
  }
  const data::Dataset set = data::make_dataset("clouds", raw, label, {"left", "right"});
  const svm::Machine machine = svm::train(Device(), set, {.c = {1, 1e3, 1e6}, .gamma = 0.3});
  ASSERT_EQ(machine.fit[0].converged, 1);
  EXPECT_GT(machine.fit[0].bounded, 50);
  EXPECT_LE(largest_error(machine, set), 1e-4);
}

TEST(Machine, decides_nothing_more_once_a_poll_ends_it) {
  const data::Dataset set = test::some_digits(200, {0, 1});
  const svm::Machine machine = train(set, 0.01, 3);
  int polls = 0;
  svm::decision_values(Device(), machine, set, [&] { ++polls; });
  EXPECT_GE(polls, 3);
  for (int last = 1; last <= polls; ++last) {
    int calls = 0;
    EXPECT_THROW(svm::decision_values(Device(), machine, set,
                                      [&] {
                                        if (++calls == last) throw Stopped();
                                      }),
                 Stopped);
    EXPECT_EQ(calls, last);
  }
}

TEST(Machine, labels_most_unseen_digits_rightly) {
  const data::Dataset all = test::some_digits(600, {0, 1, 5, 8});
  const svm::Machine machine = train(data::rows(all, 0, 400), 0.02, 10);
  const data::Dataset other = data::rows(all, 400, all.size() - 400);
  const auto predicted = svm::predicted_classes(machine, svm::decision_values(Device(), machine, other));
  int wrong = 0;
  for (int i = 0; i < other.size(); ++i) wrong += predicted[i] != other.label(i);
  EXPECT_LE(wrong, other.size() / 20);
}

TEST(Machine, accepts_samples_that_are_no_whole_numbers) {
  const data::Dataset set = test::some_digits(100, {0, 1});
  const svm::Machine machine = train(set, 0.01, 3);
  const Matrix<float> shifted("krossfold::test::shifted", 10, 64);
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 64; ++j) shifted(i, j) = set.raw(i, j) + 1e-4f;
  }
  data::Dataset near = data::make_dataset("near", shifted, Vector<const int>(), {});
  const auto a = svm::decision_values(Device(), machine, data::rows(set, 0, 10)),
             b = svm::decision_values(Device(), machine, near);
  ASSERT_EQ(a.extent(1), 1u);  // two classes are one problem
  for (int i = 0; i < 10; ++i) EXPECT_NEAR(a(i, 0), b(i, 0), 1e-2);
}

TEST(Machine, refuses_samples_with_other_features) {
  const data::Dataset set = test::some_digits(60, {0, 1});
  const svm::Machine machine = train(set, 0.01, 3);
  const Matrix<float> narrow("krossfold::test::narrow", 5, 63);
  narrow(0, 0) = 1;
  EXPECT_THROW(svm::decision_values(Device(), machine, data::make_dataset("narrow", narrow, Vector<const int>(), {})),
               Error);
}

TEST(PredictedClasses, are_the_first_largest_of_one_vs_rest_and_most_votes_of_one_vs_one) {
  const Matrix<double> decision("krossfold::test::decision", 2, 3);
  decision(0, 1) = decision(0, 2) = 4;
  decision(1, 0) = -1;
  decision(1, 1) = -2;
  decision(1, 2) = -0.5;
  svm::Machine machine;
  machine.class_name = {"a", "b", "c"};
  machine.bias.assign(3, 0.0);
  EXPECT_EQ(svm::predicted_classes(machine, decision), (std::vector<int>{1, 2}));
  machine.multiclass = svm::Multiclass::one_vs_one;  // votes for b, a, b; then for b, c, c
  EXPECT_EQ(svm::predicted_classes(machine, decision), (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace krossfold
