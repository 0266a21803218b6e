// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/path.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "krossfold/core/error.hpp"
#include "test/svm/reference_solver.hpp"
#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

svm::PathSolution<Device> solve(const test::KernelPair& kernel, const test::Signs& sign, const svm::PathParams& params,
                                const std::vector<int>& outside = {}) {
  const int problems = static_cast<int>(sign.extent(0)), n = static_cast<int>(sign.extent(1));
  svm::DualSolver<Device> solver(Device(), svm::solver_size<Device>(problems, n), n);
  svm::WholeKernel<Device> rows(Device(), kernel.minus_one);
  const Vector<int> outside_host("krossfold::test::outside", outside.size());
  std::copy(outside.begin(), outside.end(), outside_host.data());
  const Vector<const int, Device> outside_device = on_device<Device>(outside_host);
  return svm::solve_path<Device>(Device(), solver, rows, sign, outside_device, params);
}

svm::PathSolution<Device> solve(const test::KernelPair& kernel, int classes, const svm::PathParams& params) {
  return solve(kernel, test::one_vs_rest(kernel.label, classes), params);
}

int copies = 0;

void count_copy(Kokkos::Profiling::SpaceHandle, const char*, const void*, Kokkos::Profiling::SpaceHandle, const char*,
                const void*, std::uint64_t) {
  ++copies;
}

/// The number of Kokkos deep copies during a path, counted via the Kokkos Tools interface, and the path's iterations.
std::pair<int, std::int64_t> copies_and_iterations(const test::KernelPair& kernel, const svm::PathParams& params) {
  const auto sign = test::one_vs_rest(kernel.label, 4);
  svm::DualSolver<Device> solver(Device(), svm::solver_size<Device>(4, static_cast<int>(sign.extent(1))),
                                 static_cast<int>(sign.extent(1)));
  svm::WholeKernel<Device> rows(Device(), kernel.minus_one);
  const Vector<const int, Device> outside = on_device<Device>(Vector<int>("krossfold::test::outside", 1));
  copies = 0;
  Kokkos::Tools::Experimental::set_begin_deep_copy_callback(count_copy);
  const auto solution = svm::solve_path<Device>(Device(), solver, rows, sign, outside, params);
  Kokkos::Tools::Experimental::set_begin_deep_copy_callback(nullptr);
  std::int64_t iterations = 0;
  for (const svm::FitSummary& fit : solution.fit) iterations += fit.iterations;
  return {copies, iterations};
}

TEST(Path, copies_no_more_between_host_and_device_however_many_iterations_it_takes) {
  const auto kernel = test::make_kernel(test::some_digits(300, {3, 5, 8, 9}), 1e-4);
  svm::PathParams params;
  params.c = {0.05, 1, 50, 2000};
  params.tolerance = 0.5;
  const auto [few_copies, few_iterations] = copies_and_iterations(kernel, params);
  params.tolerance = 1e-5;
  const auto [many_copies, many_iterations] = copies_and_iterations(kernel, params);
  EXPECT_GT(many_iterations, 2 * few_iterations) << "the case does not test what it should";
  constexpr bool same_memory = std::is_same_v<Device::memory_space, Host::memory_space>;
  EXPECT_EQ(few_copies, same_memory ? 0 : 1);  // of the signs
  EXPECT_EQ(many_copies, few_copies);
  // Check that the counter works.
  const Vector<int> from("krossfold::test::from", 5), to("krossfold::test::to", 5);
  copies = 0;
  Kokkos::Tools::Experimental::set_begin_deep_copy_callback(count_copy);
  Kokkos::deep_copy(to, from);
  Kokkos::Tools::Experimental::set_begin_deep_copy_callback(nullptr);
  EXPECT_EQ(copies, 1);
}

class PathOverGamma : public ::testing::TestWithParam<double> {};

TEST_P(PathOverGamma, reaches_the_dual_objective_of_a_plain_double_precision_solver) {
  const double gamma = GetParam();
  const auto set = test::some_digits(300, {3, 5, 8, 9});
  const auto kernel = test::make_kernel(set, gamma);
  svm::PathParams params;
  params.c = {1e-3, 0.05, 1, 50, 2000, 1e4, 1e6};
  params.tolerance = 1e-5;
  const auto solution = solve(kernel, 4, params);
  ASSERT_TRUE(solution.complete());
  for (std::size_t k = 0; k < params.c.size(); ++k) {
    for (int p = 0; p < 4; ++p) {
      std::vector<int> y(static_cast<std::size_t>(set.size()));
      for (int i = 0; i < set.size(); ++i) y[i] = set.label(i) == p ? 1 : -1;
      const auto reference = test::solve_reference(kernel.exact, y, params.c[k], 1e-7);
      ASSERT_LE(reference.violation, 1e-7) << "the reference itself did not converge";
      const svm::FitSummary& fit = solution.fit[k * 4 + p];
      EXPECT_EQ(fit.converged, 1);
      EXPECT_LE(fit.violation, 1e-5);
      EXPECT_NEAR(fit.dual_objective, reference.objective, 2e-6 * reference.objective)
          << "C = " << params.c[k] << ", class " << p;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gammas, PathOverGamma, ::testing::Values(1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1));

/// A one-vs-rest split of three digits; every fourth sample is held out of all problems.
struct HeldOut {
  data::Dataset set = test::some_digits(240, {0, 1, 2});
  test::KernelPair kernel;
  std::vector<std::vector<int>> y;
  std::vector<int> outside;
  explicit HeldOut(double gamma) : kernel(test::make_kernel(set, gamma)), y(3) {
    for (int i = 0; i < set.size(); ++i) {
      for (int p = 0; p < 3; ++p) y[p].push_back(i % 4 == 1 ? 0 : set.label(i) == p ? 1 : -1);
      if (i % 4 == 1) outside.push_back(i);
    }
    std::swap(outside.front(), outside.back());  // any order will do
  }
};

TEST(Path, keeps_the_solution_once_nothing_is_bounded) {
  const HeldOut held(0.02);
  svm::PathParams params;
  params.c = {1, 1e3, 1e4, 1e5};
  const auto solution = solve(held.kernel, test::signs_of(held.y), params, held.outside);
  const auto decision = on_host(solution.decision);
  params.c = {1, 1e3};
  const auto coefficient = on_host(solution.coefficient);
  const auto short_solution = solve(held.kernel, test::signs_of(held.y), params, held.outside);
  const auto short_coefficient = on_host(short_solution.coefficient);
  for (int p = 0; p < 3; ++p) {
    ASSERT_EQ(solution.fit[1 * 3 + p].bounded, 0) << "the case does not test what it should";
    for (const int k : {2, 3}) {
      EXPECT_EQ(solution.fit[k * 3 + p].iterations, 0);
      EXPECT_EQ(solution.fit[k * 3 + p].converged, 1);
      EXPECT_EQ(solution.fit[k * 3 + p].dual_objective, solution.fit[1 * 3 + p].dual_objective);
      for (std::size_t i = 0; i < decision.extent(1); ++i) ASSERT_EQ(decision(k * 3 + p, i), decision(1 * 3 + p, i));
    }
    for (int i = 0; i < held.set.size(); ++i) ASSERT_EQ(coefficient(p, i), short_coefficient(p, i));
  }
}

TEST(Path, gives_the_decision_values_and_objective_of_a_training_set_without_those_held_out) {
  const HeldOut held(0.01);
  svm::PathParams params;
  params.c = {0.1, 1, 10};
  params.tolerance = 1e-5;
  const auto solution = solve(held.kernel, test::signs_of(held.y), params, held.outside);
  const auto decision = on_host(solution.decision), coefficient = on_host(solution.coefficient);
  ASSERT_EQ(decision.extent(0), 9u);
  ASSERT_EQ(decision.extent(1), held.outside.size());
  const auto n = static_cast<std::size_t>(held.set.size());
  for (int p = 0; p < 3; ++p) {
    std::vector<int> inside, y;
    for (std::size_t i = 0; i < n; ++i) {
      if (held.y[p][i] == 0) {
        EXPECT_EQ(coefficient(p, i), 0.0);
        continue;
      }
      inside.push_back(static_cast<int>(i));
      y.push_back(held.y[p][i]);
    }
    std::vector<double> kernel;
    for (const int i : inside) {
      for (const int j : inside) kernel.push_back(held.kernel.exact[i * n + j]);
    }
    for (int k = 0; k < 3; ++k) {
      const auto reference = test::solve_reference(kernel, y, params.c[k], 1e-7);
      const svm::FitSummary& fit = solution.fit[k * 3 + p];
      EXPECT_NEAR(fit.dual_objective, reference.objective, 2e-6 * reference.objective) << "C = " << params.c[k];
      for (std::size_t o = 0; o < held.outside.size(); ++o) {
        double expected = fit.bias;
        for (std::size_t t = 0; t < inside.size(); ++t) {
          expected += y[t] * reference.alpha[t] * held.kernel.exact[held.outside[o] * n + inside[t]];
        }
        ASSERT_NEAR(decision(k * 3 + p, o), expected, 2e-3) << "C = " << params.c[k] << ", problem " << p;
      }
    }
    // For the last C the coefficients themselves are available.
    for (std::size_t o = 0; o < held.outside.size(); ++o) {
      double expected = solution.fit[2 * 3 + p].bias;
      for (std::size_t i = 0; i < n; ++i) expected += coefficient(p, i) * held.kernel.exact[held.outside[o] * n + i];
      ASSERT_NEAR(decision(2 * 3 + p, o), expected, 2e-5);
    }
  }
}

TEST(Path, says_which_fits_ran_out_of_their_budget) {
  const auto set = test::some_digits(200, {3, 5, 8});
  const auto kernel = test::make_kernel(set, 0.001);
  svm::PathParams params;
  params.c = {1000};
  params.max_iterations = 5;
  const auto solution = solve(kernel, 3, params);
  ASSERT_TRUE(solution.complete());
  for (const svm::FitSummary& fit : solution.fit) {
    EXPECT_EQ(fit.converged, 0);
    EXPECT_EQ(fit.iterations, 5);
    EXPECT_GT(fit.violation, params.tolerance);
  }
}

TEST(Path, does_not_take_a_kernel_with_nan_for_converged) {
  const auto set = test::some_digits(50, {3, 5});
  const auto kernel = test::make_kernel(set, 0.001);
  Kokkos::deep_copy(kernel.minus_one, std::nanf(""));
  svm::PathParams params;
  params.c = {1};
  for (const svm::FitSummary& fit : solve(kernel, 2, params).fit) EXPECT_EQ(fit.converged, 0);
}

TEST(Path, ends_without_a_solution_when_it_is_stopped) {
  const auto set = test::some_digits(100, {3, 5});
  const auto kernel = test::make_kernel(set, 0.001);
  std::stop_source source;
  source.request_stop();
  svm::PathParams params;
  params.c = {1};
  params.stop = source.get_token();
  EXPECT_FALSE(solve(kernel, 2, params).complete());
}

TEST(Path, continued_after_each_problem_it_has_the_same_bits) {
  const auto set = test::some_digits(150, {3, 5, 8, 9});
  const auto kernel = test::make_kernel(set, 0.001);
  const auto sign = test::one_vs_rest(kernel.label, 4);
  svm::PathParams params;
  params.c = {0.1, 10, 1000};
  const auto expected = solve(kernel, sign, params);
  const auto expected_beta = on_host(expected.coefficient);
  svm::WholeKernel<Device> rows(Device(), kernel.minus_one);
  auto solution = svm::begin_path<Device>(4, 3, set.size(), 0);
  int goes = 0;
  while (!solution.complete()) {
    const int before = solution.done;
    // A new solver each time, as after a crash; it is stopped as soon as a problem is complete.
    svm::DualSolver<Device> solver(Device(), svm::solver_size<Device>(4, set.size()), set.size());
    params.advanced = [] { throw Stopped(); };
    EXPECT_THROW(
        svm::continue_path<Device>(Device(), solver, rows, sign, Vector<const int, Device>(), params, solution),
        Stopped);
    EXPECT_GT(solution.done, before);
    ASSERT_LE(++goes, 4);
  }
  const auto beta = on_host(solution.coefficient);
  for (int p = 0; p < 4; ++p) {
    for (int i = 0; i < set.size(); ++i) EXPECT_EQ(beta(p, i), expected_beta(p, i)) << p << ", " << i;
  }
  for (std::size_t k = 0; k < solution.fit.size(); ++k) {
    EXPECT_EQ(solution.fit[k].iterations, expected.fit[k].iterations);
    EXPECT_EQ(solution.fit[k].dual_objective, expected.fit[k].dual_objective);
    EXPECT_EQ(solution.fit[k].bias, expected.fit[k].bias);
  }
}

TEST(Path, continued_after_a_stop_in_the_middle_of_a_problem_it_has_the_same_bits) {
  const auto set = test::some_digits(150, {3, 5, 8});
  const auto kernel = test::make_kernel(set, 0.001);
  const auto sign = test::one_vs_rest(kernel.label, 3);
  svm::PathParams params;
  params.c = {0.1, 10, 1000};
  const auto expected = on_host(solve(kernel, sign, params).coefficient);
  svm::WholeKernel<Device> rows(Device(), kernel.minus_one);
  for (const int stop_at : {1, 2, 5, 12, 25, 40}) {
    auto solution = svm::begin_path<Device>(3, 3, set.size(), 0);
    svm::DualSolver<Device> solver(Device(), svm::solver_size<Device>(3, set.size()), set.size());
    int polls = 0;
    rows.poll = [&] {
      if (++polls == stop_at) throw Stopped();
    };
    for (int go = 0; go < 2; ++go) {
      try {
        svm::continue_path<Device>(Device(), solver, rows, sign, Vector<const int, Device>(), params, solution);
      } catch (const Stopped&) {
      }
    }
    EXPECT_TRUE(solution.complete());
    const auto beta = on_host(solution.coefficient);
    for (int p = 0; p < 3; ++p) {
      for (int i = 0; i < set.size(); ++i) ASSERT_EQ(beta(p, i), expected(p, i)) << "stopped at poll " << stop_at;
    }
  }
}

TEST(Path, of_several_trainings_has_the_bits_of_each_alone) {
  const auto set = test::some_digits(150, {3, 5, 8});
  const auto kernel = test::make_kernel(set, 0.001);
  const std::vector<std::vector<int>> held{{0, 7, 20, 149}, {1, 2}, {}};
  const int n = set.size();
  const auto one = on_host(test::one_vs_rest(kernel.label, 3));
  const auto without = [&](const std::vector<int>& out) {
    std::vector<std::vector<int>> y(3, std::vector<int>(static_cast<std::size_t>(n), 0));
    for (int p = 0; p < 3; ++p) {
      for (int i = 0; i < n; ++i) y[p][i] = one(p, i);
      for (const int i : out) y[p][i] = 0;
    }
    return y;
  };
  std::vector<std::vector<int>> all;
  std::vector<int> list(12, -1);
  for (int t = 0; t < 3; ++t) {
    for (const auto& y : without(held[t])) all.push_back(y);
    std::copy(held[t].begin(), held[t].end(), list.begin() + 4 * t);
  }
  svm::PathParams params;
  params.c = {0.1, 10, 1000};
  svm::WholeKernel<Device> rows(Device(), kernel.minus_one);
  svm::DualSolver<Device> solver(Device(), svm::solver_size<Device>(9, n), n);
  const svm::Outside<Device> outside(list_on<Device>("krossfold::test::outside", list), 3);
  const auto path = svm::solve_path<Device>(Device(), solver, rows, test::signs_of(all), outside, params);
  ASSERT_TRUE(path.complete());
  for (int t = 0; t < 3; ++t) {
    const int width = static_cast<int>(held[t].size());
    const auto own = svm::part_of_path<Device>(Device(), path, 3 * t, 3, width);
    const auto alone = svm::solve_path<Device>(Device(), solver, rows, test::signs_of(without(held[t])),
                                               list_on<Device>("krossfold::test::held", held[t]), params);
    ASSERT_TRUE(own.complete());
    ASSERT_EQ(own.fit.size(), alone.fit.size());
    const auto decision = on_host(own.decision), expected = on_host(alone.decision);
    const auto beta = on_host(own.coefficient), expected_beta = on_host(alone.coefficient);
    for (int f = 0; f < 9; ++f) {
      EXPECT_EQ(own.fit[f].iterations, alone.fit[f].iterations);
      EXPECT_EQ(own.fit[f].bias, alone.fit[f].bias);
      EXPECT_EQ(own.fit[f].dual_objective, alone.fit[f].dual_objective);
      for (int k = 0; k < width; ++k) EXPECT_EQ(decision(f, k), expected(f, k)) << t << ", " << f << ", " << k;
    }
    for (int p = 0; p < 3; ++p) {
      for (int i = 0; i < n; ++i) ASSERT_EQ(beta(p, i), expected_beta(p, i)) << t << ", " << p << ", " << i;
    }
  }
}

TEST(Path, refuses_to_continue_one_of_other_sizes) {
  const auto set = test::some_digits(60, {3, 5});
  const auto kernel = test::make_kernel(set, 0.001);
  const auto sign = test::one_vs_rest(kernel.label, 2);
  svm::PathParams params;
  params.c = {1, 10};
  svm::WholeKernel<Device> rows(Device(), kernel.minus_one);
  svm::DualSolver<Device> solver(Device(), svm::solver_size<Device>(2, set.size()), set.size());
  for (auto solution : {svm::begin_path<Device>(2, 1, set.size(), 0), svm::begin_path<Device>(1, 2, set.size(), 0),
                        svm::begin_path<Device>(2, 2, 59, 0), svm::begin_path<Device>(2, 2, set.size(), 3)}) {
    EXPECT_THROW(
        svm::continue_path<Device>(Device(), solver, rows, sign, Vector<const int, Device>(), params, solution), Error);
  }
}

TEST(Path, ended_by_a_poll_anywhere_it_leaves_a_solver_that_finds_the_same_bits) {
  const auto set = test::some_digits(150, {3, 5, 8});
  const auto kernel = test::make_kernel(set, 0.001);
  const auto sign = test::one_vs_rest(kernel.label, 3);
  svm::PathParams params;
  params.c = {0.1, 10, 1000};
  const auto expected = on_host(solve(kernel, sign, params).coefficient);
  svm::DualSolver<Device> solver(Device(), svm::solver_size<Device>(3, set.size()), set.size());
  svm::WholeKernel<Device> rows(Device(), kernel.minus_one);
  const auto path = [&](int stop_at) {
    int polls = 0;
    rows.poll = [&] {
      if (++polls == stop_at) throw Stopped();
    };
    const auto solution =
        svm::solve_path<Device>(Device(), solver, rows, sign, Vector<const int, Device>(), params).coefficient;
    const auto found = on_host(solution);
    for (int p = 0; p < 3; ++p) {
      for (int i = 0; i < set.size(); ++i) EXPECT_EQ(found(p, i), expected(p, i)) << p << ", " << i;
    }
    return polls;
  };
  const int polls = path(0);
  EXPECT_GE(polls, 5);
  for (int stop_at = 1; stop_at <= polls; stop_at += 1 + polls / 20) {
    EXPECT_THROW(path(stop_at), Stopped) << stop_at;
    path(0);
  }
}

TEST(Path, refuses_values_of_c_that_do_not_ascend) {
  const auto set = test::some_digits(20, {3, 5});
  const auto kernel = test::make_kernel(set, 0.001);
  svm::PathParams params;
  for (const std::vector<double>& c : {std::vector<double>{}, {1, 0.5}, {0, 1}, {-1}}) {
    params.c = c;
    EXPECT_THROW(solve(kernel, 2, params), Error);
  }
}

}  // namespace
}  // namespace krossfold
