// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/ensemble/votes.hpp"

#include <limits>

#include "krossfold/ensemble/error_rate.hpp"
#include "krossfold/ensemble/mean_probability.hpp"
#include "test/ensemble/random_probabilities.hpp"

namespace krossfold::ensemble {
namespace {

struct Combined {
  Matrix<int> prediction, votes;
  Vector<int> majority, most_probable;
  std::vector<double> error;
};

template <class View>
auto host_copy(const View& view) {
  fence(Device(), "krossfold::test::votes");
  return on_host(view);
}

/// Combines the members in every way.
Combined combine(const Members<Device>& members) {
  const Device exec;
  const int n = members.samples(), classes = members.classes();
  const Matrix<int, Device> prediction("krossfold::test::prediction", members.models(), n);
  const Matrix<int, Device> votes("krossfold::test::votes", n, classes);
  const Matrix<double, Device> mean("krossfold::test::mean", n, classes);
  const Vector<int, Device> majority("krossfold::test::majority", n), probable("krossfold::test::probable", n);
  predicted_classes<Device>(exec, prediction, members);
  count_votes<Device>(exec, votes, members);
  mean_probability<Device>(exec, mean, members);
  majority_vote<Device>(exec, majority, votes, mean);
  most_probable_class<Device>(exec, probable, mean);
  return {host_copy(prediction), host_copy(votes), host_copy(majority), host_copy(probable), {}};
}

/// The first class for which no other is `better`.
template <class Better>
int best_class(int classes, const Better& better) {
  for (int c = 0; c < classes; ++c) {
    bool beaten = false;
    for (int other = 0; other < classes; ++other) beaten = beaten || better(other, c);
    if (!beaten) return c;
  }
  return -1;
}

TEST(Votes, are_those_of_a_plain_count) {
  for (const test::Shape& shape : test::shapes) {
    SCOPED_TRACE(testing::PrintToString(shape));
    const auto p = test::random_probability(shape);
    const auto mean = test::plain_mean(p);
    const Combined found = combine(test::members_of(p));
    for (int i = 0; i < shape.samples; ++i) {
      std::vector<int> votes(shape.classes);
      for (int m = 0; m < shape.models; ++m) {
        const int choice = best_class(shape.classes, [&](int a, int b) { return p(m, i, a) > p(m, i, b); });
        ASSERT_EQ(found.prediction(m, i), choice) << "model " << m << ", sample " << i;
        ++votes[choice];
      }
      for (int c = 0; c < shape.classes; ++c) ASSERT_EQ(found.votes(i, c), votes[c]) << "sample " << i;
      ASSERT_EQ(found.majority(i), best_class(shape.classes,
                                              [&](int a, int b) {
                                                return votes[a] > votes[b] ||
                                                       (votes[a] == votes[b] && mean(i, a) > mean(i, b));
                                              }))
          << "sample " << i;
      ASSERT_EQ(found.most_probable(i),
                best_class(shape.classes, [&](int a, int b) { return mean(i, a) > mean(i, b); }))
          << "sample " << i;
    }
  }
}

TEST(Votes, ties_go_to_the_larger_mean_then_to_the_lower_class) {
  // two_of_three: two votes for class 2, one for class 0, which has the largest mean. ties, sample 0: one vote each for
  // 0 and 1, 1 has the larger mean. Sample 1: the same with equal means. Sample 2: a tie within a model goes to the
  // lower class.
  const auto two_of_three = test::members_of(test::cube_of({{{0.9f, 0, 0.1f}}, {{0.4f, 0, 0.6f}}, {{0.4f, 0, 0.6f}}}));
  EXPECT_EQ(combine(two_of_three).majority(0), 2);
  EXPECT_EQ(combine(two_of_three).most_probable(0), 0);
  const auto ties = test::members_of(test::cube_of({{{0.6f, 0.4f, 0}, {0.75f, 0.25f, 0}, {0.25f, 0.375f, 0.375f}},
                                                    {{0.1f, 0.9f, 0}, {0.25f, 0.75f, 0}, {0.25f, 0.375f, 0.375f}}}));
  const Combined found = combine(ties);
  EXPECT_EQ(found.majority(0), 1);
  EXPECT_EQ(found.majority(1), 0);
  EXPECT_EQ(found.majority(2), 1);
  EXPECT_EQ(found.votes(2, 1), 2);
  EXPECT_EQ(found.votes(2, 2), 0);
}

TEST(Votes, do_not_depend_on_the_order_of_the_models) {
  for (const test::Shape& shape : test::shapes) {
    SCOPED_TRACE(testing::PrintToString(shape));
    const auto p = test::random_probability(shape);
    const Combined one = combine(test::members_of(p));
    const Combined other = combine(test::members_of(p, test::shuffled_models(shape)));
    for (int i = 0; i < shape.samples; ++i) {
      ASSERT_EQ(one.majority(i), other.majority(i)) << "sample " << i;
      for (int c = 0; c < shape.classes; ++c) ASSERT_EQ(one.votes(i, c), other.votes(i, c)) << "sample " << i;
    }
  }
}

TEST(Votes, a_diverged_model_that_is_left_out_has_no_influence) {
  const test::Shape shape{5, 40, 4, 21};
  const auto p = test::random_probability(shape);
  const Combined without = combine(test::members_of(p, {0, 1, 3, 4}));
  for (int i = 0; i < shape.samples; ++i) {
    for (int c = 0; c < shape.classes; ++c) p(2, i, c) = std::numeric_limits<float>::quiet_NaN();
  }
  const Combined left_out = combine(test::members_of(p, {0, 1, 3, 4}));
  for (int i = 0; i < shape.samples; ++i) {
    EXPECT_EQ(left_out.majority(i), without.majority(i));
    EXPECT_EQ(left_out.most_probable(i), without.most_probable(i));
  }
}

TEST(ErrorRate, is_the_fraction_of_wrong_choices) {
  const Matrix<int> choice("krossfold::test::choice", 2, 4);
  const int given[2][4] = {{0, 1, 2, 1}, {1, 1, 0, 1}};
  for (int s = 0; s < 2; ++s) {
    for (int i = 0; i < 4; ++i) choice(s, i) = given[s][i];
  }
  const Matrix<const int, Device> choice_device = on_device<Device>(choice);
  const auto truth = test::labels({0, 1, 1, 1});
  EXPECT_EQ(error_rates<Device>(Device(), choice_device, truth), (std::vector<double>{0.25, 0.5}));
  EXPECT_EQ(error_rate<Device>(Device(), test::labels({0, 1, 2, 1}), truth), 0.25);
  EXPECT_EQ(error_rate<Device>(Device(), test::labels({3}), test::labels({3})), 0.0);
  EXPECT_THROW(error_rate<Device>(Device(), test::labels({1, 2}), test::labels({1})), Error);
  EXPECT_THROW(error_rate<Device>(Device(), test::labels({}), test::labels({})), Error);
}

}  // namespace
}  // namespace krossfold::ensemble
