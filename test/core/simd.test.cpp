// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/simd.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "krossfold/core/view.hpp"

namespace krossfold {
namespace {

using Policy = Kokkos::TeamPolicy<Device>;
using Member = Policy::member_type;

constexpr int teams = 3;
constexpr int lengths[] = {0, 1, 15, 16, 17, 31, 32, 33, 100, 1000};

// Functors and free functions: nvcc takes no device lambda in the private member function that TEST makes.
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

struct UpdateLargest {
  Vector<double, Device> state;
  Vector<const double, Device> change, other;
  Matrix<double, Device> found;  // (member, {value, index, lowest})
  int n;
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    double lowest = 0;
    const Largest largest = team_simd_update_largest(
        member, n, [&](int i) { state(i) += change(i); }, [&](int i) { return state(i); },
        [&](int i) { return other(i); }, lowest);
    found(member.team_rank(), 0) = largest.value;
    found(member.team_rank(), 1) = largest.index;
    found(member.team_rank(), 2) = lowest;
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

Vector<double, Device> on_device_from(const std::vector<double>& values) {
  const Vector<double, Device> view("krossfold::core::test_values", values.size());
  const auto mirror = Kokkos::create_mirror_view(view);
  std::copy(values.begin(), values.end(), mirror.data());
  Kokkos::deep_copy(view, mirror);
  return view;
}

// 1, 2, 3, ... as far as the backend allows.
template <class Functor>
std::vector<int> team_sizes(const Functor& functor) {
  const int most = Policy(teams, 1).team_size_max(functor, Kokkos::ParallelForTag());
  std::vector<int> sizes;
  for (const int size : {1, 2, 3, 4, 7, 16, 32, 100, 256})
    if (size <= most) sizes.push_back(size);
  return sizes;
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
  std::normal_distribution<double> normal(-3, 2);  // a zero left in by mistake would win
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

// Whole numbers from a short range: most maxima occur several times.
std::vector<double> whole_numbers(int n, std::mt19937& random) {
  std::vector<double> values(n);
  for (double& value : values) value = -20.0 - random() % 30;
  return values;
}

TEST(Simd, team_simd_update_largest_updates_once_and_finds_the_lowest_index_of_the_maximum) {
  constexpr unsigned seed = 23;
  std::mt19937 random(seed);
  for (const int n : {1, 15, 16, 17, 511, 512, 513, 1000, 1025, 5000})
    for (int repeat = 0; repeat < 5; ++repeat) {
      const auto state = whole_numbers(n, random), change = whole_numbers(n, random), other = whole_numbers(n, random);
      std::vector<double> updated(n);
      for (int i = 0; i < n; ++i) updated[i] = state[i] + change[i];
      const auto largest = std::max_element(updated.begin(), updated.end());  // the first of equals
      UpdateLargest update{on_device_from(state), on_device_from(change), on_device_from(other),
                           Matrix<double, Device>("krossfold::core::test_found", 256, 3), n};
      for (const int size : team_sizes(update)) {
        const std::string what = "seed 23, n " + std::to_string(n) + ", team size " + std::to_string(size);
        update.state = on_device_from(state);
        Kokkos::parallel_for("krossfold::core::test_update_largest", Policy(1, size), update);
        const auto after = on_host(update.state);
        const auto found = on_host(update.found);
        for (int i = 0; i < n; ++i) ASSERT_EQ(after(i), updated[i]) << what << ", element " << i;
        for (int member = 0; member < size; ++member) {
          ASSERT_EQ(found(member, 0), *largest) << what << ", member " << member;
          ASSERT_EQ(found(member, 1), largest - updated.begin()) << what << ", member " << member;
          ASSERT_EQ(found(member, 2), *std::min_element(other.begin(), other.end())) << what << ", member " << member;
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

}  // namespace
}  // namespace krossfold
