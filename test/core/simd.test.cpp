// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/simd.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "krossfold/core/view.hpp"

namespace krossfold {
namespace {

using Policy = Kokkos::TeamPolicy<Device>;
using Member = Policy::member_type;

constexpr int teams = 3;
constexpr int lengths[] = {0, 1, 15, 16, 17, 31, 32, 33, 100, 1000};

// Functors and free functions, because nvcc rejects device lambdas in the private member function that TEST generates.
struct CountTouches {
  Matrix<int, Device> count;  // (team, element)
  int n;
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int row = member.league_rank();
    team_simd_for(member, n, [&](int i) { count(row, i) += 1; });
  }
};

struct FindMax {
  Vector<const double, Device> value;
  Matrix<double, Device> found;  // (team, member)
  int n;
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const double best = team_simd_largest(member, n, [&](int i) { return value(i); }).value;
    found(member.league_rank(), member.team_rank()) = best;
  }
};

struct FindSum {
  Vector<const double, Device> value;
  Vector<double, Device> found;  // (member)
  int n;
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    found(member.team_rank()) = team_simd_sum(member, n, [&](int i) { return value(i); });
  }
};

struct UpdateAndChoose {
  Vector<double, Device> state;
  Vector<const double, Device> change;
  Vector<int, Device> found;  // (member)
  int n;
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    found(member.team_rank()) = team_simd_choose(member, n, index_mask(n), [&](int i) {
      state(i) += change(i);
      return static_cast<float>(state(i));
    });
  }
};

struct FindLargest {
  Vector<const double, Device> value;
  Matrix<double, Device> found;  // (member, {value, index})
  int n;
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Largest largest = team_simd_largest(member, n, [&](int i) { return value(i); });
    found(member.team_rank(), 0) = largest.value;
    found(member.team_rank(), 1) = largest.index;
  }
};

struct Count {
  Vector<const double, Device> value;
  Vector<int, Device> found;  // (member)
  int n;
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    found(member.team_rank()) = team_simd_count(member, n, [&](int i) { return value(i) > 0 ? 1 : 0; });
  }
};

// The score of a prepared value d is factor * d * d; non-positive values and NaN are prepared as 0.
struct Choose {
  Vector<const double, Device> value, factor;
  Matrix<double, Device> found;  // (member, {index, largest})
  int n;
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    float largest = -1;
    const int index = team_simd_choose(
        member, n, index_mask(n),
        [&](int i) {
          const float d = static_cast<float>(value(i));
          return d > 0 ? d : 0.0f;
        },
        [&](int i, float d) { return static_cast<float>(factor(i)) * d * d; }, largest);
    found(member.team_rank(), 0) = index;
    found(member.team_rank(), 1) = largest;
  }
};

Vector<double, Device> on_device_from(const std::vector<double>& values) {
  const Vector<double, Device> view("krossfold::core::test_values", values.size());
  const auto mirror = host_mirror(view);
  std::copy(values.begin(), values.end(), mirror.data());
  Kokkos::deep_copy(view, mirror);
  return view;
}

// Team sizes 1, 2, 3, ... up to what the backend allows.
template <class Functor>
std::vector<int> team_sizes(const Functor& functor) {
  const int most = Policy(teams, 1).team_size_max(functor, Kokkos::ParallelForTag());
  std::vector<int> sizes;
  for (const int size : {1, 2, 3, 4, 7, 16, 32, 100, 256})
    if (size <= most) sizes.push_back(size);
  return sizes;
}

// Every member of teams of all sizes finds the same.
template <class Functor, class Number>
void expect_by_every_member(const Functor& find, Number expected) {
  for (const int size : team_sizes(find)) {
    Kokkos::parallel_for("krossfold::core::test_find", Policy(1, size), find);
    const auto found = on_host(find.found);
    for (int member = 0; member < size; ++member)
      ASSERT_EQ(found(member), expected) << "n " << find.n << ", team size " << size << ", member " << member;
  }
}

TEST(Simd, team_simd_for_runs_each_element_once_at_every_length_and_team_size) {
  for (const int n : lengths) {
    CountTouches touches{Matrix<int, Device>("krossfold::core::test_touches", teams, n + 1), n};
    for (const int size : team_sizes(touches)) {
      Kokkos::deep_copy(touches.count, 0);
      Kokkos::parallel_for("krossfold::core::test_for", Policy(teams, size), touches);
      const auto count = on_host(touches.count);
      for (int team = 0; team < teams; ++team) {
        for (int i = 0; i < n; ++i)
          ASSERT_EQ(count(team, i), 1) << "n " << n << " team size " << size << " element " << i;
        ASSERT_EQ(count(team, n), 0) << "n " << n << " team size " << size;
      }
    }
  }
}

void expect_max(const std::vector<double>& values, const std::string& what) {
  const int n = static_cast<int>(values.size());
  const double expected =
      n == 0 ? -std::numeric_limits<double>::infinity() : *std::max_element(values.begin(), values.end());
  FindMax find{on_device_from(values), Matrix<double, Device>("krossfold::core::test_max", teams, 256), n};
  for (const int size : team_sizes(find)) {
    Kokkos::deep_copy(find.found, 0.0);
    Kokkos::parallel_for("krossfold::core::test_max", Policy(teams, size), find);
    const auto found = on_host(find.found);
    for (int team = 0; team < teams; ++team)
      for (int member = 0; member < size; ++member)
        ASSERT_EQ(found(team, member), expected)
            << what << ", n " << n << ", team size " << size << ", member " << member;
  }
}

TEST(Simd, team_simd_largest_value_is_the_maximum_for_every_member) {
  constexpr unsigned seed = 17;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(-3, 2);  // mostly negative: a stray zero would win
  for (const int n : lengths)
    for (int repeat = 0; repeat < 5; ++repeat) {
      std::vector<double> values(n);
      for (double& value : values) value = normal(random);
      expect_max(values, "seed 17, repeat " + std::to_string(repeat));
    }
}

TEST(Simd, team_simd_largest_value_finds_a_maximum_anywhere) {
  for (int at = 0; at < 33; ++at) {
    std::vector<double> values(33, -2.0);
    values[at] = -1.0;
    expect_max(values, "maximum at " + std::to_string(at));
  }
}

TEST(Simd, team_simd_largest_value_of_infinities) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  expect_max(std::vector<double>(20, -infinity), "all -inf");
  expect_max({-1.0, infinity, -infinity}, "one inf");
}

// Integers from a small range, so that most maxima occur several times.
std::vector<double> whole_numbers(int n, std::mt19937& random) {
  std::vector<double> values(n);
  for (double& value : values) value = -20.0 - random() % 30;
  return values;
}

TEST(Simd, team_simd_choose_calls_score_once_and_finds_the_first_nearly_largest) {
  constexpr unsigned seed = 23;
  std::mt19937 random(seed);
  for (const int n : {1, 15, 16, 17, 511, 512, 513, 1000, 1025, 5000}) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      const auto state = whole_numbers(n, random), change = whole_numbers(n, random);
      std::vector<double> updated(n);
      for (int i = 0; i < n; ++i) updated[i] = state[i] + change[i];
      // Integers below 2^10 differ in their leading bits.
      const auto largest = std::max_element(updated.begin(), updated.end());  // the first of equals
      const int expected = *largest > 0 ? static_cast<int>(largest - updated.begin()) : -1;
      UpdateAndChoose update{on_device_from(state), on_device_from(change),
                             Vector<int, Device>("krossfold::core::test_found", 256), n};
      for (const int size : team_sizes(update)) {
        const std::string what = "seed 23, n " + std::to_string(n) + ", team size " + std::to_string(size);
        update.state = on_device_from(state);
        Kokkos::parallel_for("krossfold::core::test_update_and_choose", Policy(1, size), update);
        const auto after = on_host(update.state);
        const auto found = on_host(update.found);
        for (int i = 0; i < n; ++i) ASSERT_EQ(after(i), updated[i]) << what << ", element " << i;
        for (int member = 0; member < size; ++member)
          ASSERT_EQ(found(member), expected) << what << ", member " << member;
      }
    }
  }
}

void expect_largest(const std::vector<double>& values, double value, int index) {
  FindLargest find{on_device_from(values), Matrix<double, Device>("krossfold::core::test_found", 256, 2),
                   static_cast<int>(values.size())};
  for (const int size : team_sizes(find)) {
    Kokkos::parallel_for("krossfold::core::test_largest", Policy(1, size), find);
    const auto found = on_host(find.found);
    for (int member = 0; member < size; ++member) {
      ASSERT_EQ(found(member, 0), value) << "team size " << size << ", member " << member;
      ASSERT_EQ(found(member, 1), index) << "team size " << size << ", member " << member;
    }
  }
}

TEST(Simd, team_simd_largest_finds_a_maximum_anywhere) {
  for (int at = 0; at < 1100; at += 9) {
    std::vector<double> values(1100, -2.0);
    values[at] = values[1099] = -1.0;
    expect_largest(values, -1.0, at);
  }
}

TEST(Simd, team_simd_largest_skips_elements_that_do_not_take_part) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> values(700, -infinity);
  expect_largest(values, -infinity, 0);
  expect_largest({}, -infinity, 0);
  values[650] = -1e300;
  expect_largest(values, -1e300, 650);
}

TEST(Simd, team_simd_sum_adds_up_for_every_member_at_every_length_and_team_size) {
  for (const int n : lengths) {
    std::vector<double> values(n);
    double expected = 0;
    for (int i = 0; i < n; ++i) expected += values[i] = 0.25 * (i % 13) - 1;  // exact in any order
    FindSum sum{on_device_from(values), Vector<double, Device>("krossfold::core::test_sum", 256), n};
    expect_by_every_member(sum, expected);
  }
}

TEST(Simd, team_simd_count_counts_for_every_member_at_every_length_and_team_size) {
  constexpr unsigned seed = 31;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1);
  for (const int n : lengths) {
    std::vector<double> values(n);
    for (double& value : values) value = normal(random);
    const auto expected = std::count_if(values.begin(), values.end(), [](double v) { return v > 0; });
    Count count{on_device_from(values), Vector<int, Device>("krossfold::core::test_count", 256), n};
    SCOPED_TRACE("seed 31");
    expect_by_every_member(count, expected);
  }
}

TEST(Simd, index_mask_is_the_least_that_holds_every_index) {
  for (const int n : {1, 2, 3, 4, 5, 16, 17, 8192, 8193}) {
    const int mask = index_mask(n);
    EXPECT_EQ(mask & (mask + 1), 0) << "not all ones, n " << n;
    EXPECT_GE(mask, n - 1);
    EXPECT_TRUE(mask == 1 || mask / 2 < n - 1) << "one bit too many, n " << n;
  }
}

struct Chosen {
  int index;
  float largest;
};

// The result of team_simd_choose, which must be the same for every team size and member.
Chosen choose(const std::vector<double>& values, const std::vector<double>& factors, const std::string& what) {
  Choose functor{on_device_from(values), on_device_from(factors),
                 Matrix<double, Device>("krossfold::core::test_chosen", 256, 2), static_cast<int>(values.size())};
  Chosen first{-2, 0};
  for (const int size : team_sizes(functor)) {
    Kokkos::parallel_for("krossfold::core::test_choose", Policy(1, size), functor);
    const auto found = on_host(functor.found);
    if (first.index == -2) first = {static_cast<int>(found(0, 0)), static_cast<float>(found(0, 1))};
    for (int member = 0; member < size; ++member) {
      EXPECT_EQ(found(member, 0), first.index) << what << ", team size " << size << ", member " << member;
      EXPECT_EQ(found(member, 1), first.largest) << what << ", team size " << size << ", member " << member;
    }
  }
  return first;
}

TEST(Simd, team_simd_choose_finds_the_first_nearly_largest_score_and_the_largest_prepared_value) {
  constexpr unsigned seed = 37;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1);
  for (const int n : {1, 2, 15, 16, 17, 100, 513, 1000, 8192}) {
    for (int repeat = 0; repeat < 10; ++repeat) {
      const std::string what = "seed 37, n " + std::to_string(n) + ", repeat " + std::to_string(repeat);
      std::vector<double> values(n), factors(n);
      for (double& value : values) value = normal(random);
      for (double& factor : factors) factor = std::exp(5 * normal(random));
      if (repeat % 2 == 1) {  // nearly equal scores: many agree in all leading bits
        for (double& value : values) value = 1 + 1e-5 * value;
        std::fill(factors.begin(), factors.end(), 2.0);
      }
      values[random() % n] = 1.25;  // at least one is positive
      float best = 0, largest = 0;
      std::vector<float> score(n);
      for (int i = 0; i < n; ++i) {
        const float d = values[i] > 0 ? static_cast<float>(values[i]) : 0.0f;
        score[i] = static_cast<float>(factors[i]) * d * d;
        best = std::max(best, score[i]);
        largest = std::max(largest, d);
      }
      const Chosen chosen = choose(values, factors, what);
      ASSERT_GE(chosen.index, 0) << what;
      ASSERT_LT(chosen.index, n) << what;
      EXPECT_EQ(chosen.largest, largest) << what;
      // The index displaces the trailing bits, which costs a relative error of (mask + 1) / 2^23.
      const double loss = (index_mask(n) + 1) / 8388608.0;
      EXPECT_GE(score[chosen.index], best * (1 - loss)) << what;
      const auto leading = [&](float s) { return std::bit_cast<int>(s) & ~index_mask(n); };
      for (int i = 0; i < chosen.index; ++i) {
        ASSERT_LT(leading(score[i]), leading(score[chosen.index])) << what << ": " << i << " is as good and lower";
      }
    }
  }
}

TEST(Simd, team_simd_choose_finds_the_only_positive_score_anywhere) {
  for (int at = 0; at < 700; at += 7) {
    std::vector<double> values(700, -3.0);
    values[at] = 0.001;
    const Chosen chosen = choose(values, std::vector<double>(700, 1.0), "at " + std::to_string(at));
    ASSERT_EQ(chosen.index, at);
    ASSERT_EQ(chosen.largest, 0.001f);
  }
}

TEST(Simd, team_simd_choose_says_when_no_score_is_positive) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const int n : {0, 1, 16, 100}) {
    for (const double value : {-1.0, 0.0, nan}) {
      const Chosen chosen = choose(std::vector<double>(n, value), std::vector<double>(n, 1.0), "nothing positive");
      EXPECT_EQ(chosen.index, -1) << "n " << n << ", value " << value;
      EXPECT_EQ(chosen.largest, 0.0f) << "n " << n << ", value " << value;
    }
    // The prepared values are positive, the scores are not.
    const Chosen chosen = choose(std::vector<double>(n, 2.0), std::vector<double>(n, -1.0), "negative scores");
    EXPECT_EQ(chosen.index, -1) << "n " << n;
    EXPECT_EQ(chosen.largest, n > 0 ? 2.0f : 0.0f) << "n " << n;
  }
}

TEST(Simd, team_simd_choose_passes_over_values_that_are_not_numbers) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values(100, nan);
  values[61] = 0.5;
  values[80] = 0.25;
  const Chosen chosen = choose(values, std::vector<double>(100, 1.0), "one of many is a number");
  EXPECT_EQ(chosen.index, 61);
  EXPECT_EQ(chosen.largest, 0.5f);
  // If a score is NaN, the choice is unspecified, but it must be a valid index on which all members agree (choose()).
  std::vector<double> factors(100, 1.0);
  factors[80] = nan;
  const Chosen any = choose(values, factors, "a score of NaN");
  EXPECT_TRUE(any.index == 61 || any.index == 80) << any.index;
}

}  // namespace
}  // namespace krossfold
