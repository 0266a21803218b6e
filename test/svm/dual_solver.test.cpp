// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/dual_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "test/svm/reference_solver.hpp"
#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

using test::RandomCase;

class DualSolverOnRandom : public ::testing::TestWithParam<RandomCase> {};

svm::SolveParams params_of(const RandomCase& from) {
  svm::SolveParams params;
  params.c = from.c;
  params.tolerance = 1e-5;
  return params;
}

TEST_P(DualSolverOnRandom, reaches_the_dual_objective_of_a_plain_double_precision_solver) {
  const RandomCase from = GetParam();
  const auto random = test::make_random(from);
  const auto duals = svm::make_problems<Device>(Device(), test::signs_of(random.y));
  svm::WholeKernel<Device> rows(Device(), random.kernel.minus_one);
  const auto progress = test::solve_in_waves(duals, rows, from.problems, params_of(from));
  const test::HostState state(duals);
  const auto n = static_cast<std::size_t>(from.n);
  for (int p = 0; p < from.problems; ++p) {
    EXPECT_TRUE(progress[p].converged);
    std::vector<int> y;
    std::vector<std::size_t> inside;
    double sum = 0, mass = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double beta = state.beta[p * n + i];
      const auto sign = static_cast<std::int8_t>(random.y[p][i]);
      ASSERT_GE(beta, svm::lower_bound(sign * from.c));
      ASSERT_LE(beta, svm::upper_bound(sign * from.c));
      sum += beta;
      mass += std::abs(beta);
      if (sign == 0) continue;
      inside.push_back(i);
      y.push_back(sign);
    }
    EXPECT_NEAR(sum, 0, 1e-10 * mass);
    std::vector<double> kernel;
    for (const std::size_t i : inside) {
      for (const std::size_t j : inside) kernel.push_back(random.kernel.exact[i * n + j]);
    }
    const auto reference = test::solve_reference(kernel, y, from.c, 1e-6);
    ASSERT_LE(reference.violation, 1e-6) << "the reference itself did not converge";
    EXPECT_NEAR(test::dual_of(state, random.kernel, p, random.y[p]), reference.objective, 2e-6 * reference.objective);
    EXPECT_LE(test::gradient_error(state, random.kernel, p, random.y[p]), 1e-12 * n * (1 + mass)) << "problem " << p;
  }
}

TEST_P(DualSolverOnRandom, gives_the_same_bits_for_every_number_of_slots_and_every_source_of_rows) {
  const RandomCase from = GetParam();
  const auto random = test::make_random(from);
  const auto solve = [&](svm::KernelRows<Device>& rows, int slots, std::vector<svm::Progress>& progress) {
    const auto duals = svm::make_problems<Device>(Device(), test::signs_of(random.y));
    progress = test::solve_in_waves(duals, rows, slots, params_of(from));
    return test::HostState(duals);
  };
  svm::WholeKernel<Device> whole(Device(), random.kernel.minus_one);
  std::vector<svm::Progress> expected_progress, progress;
  const auto expected = solve(whole, 1, expected_progress);
  const auto compare = [&](const test::HostState& found, const std::string& what) {
    EXPECT_TRUE(found == expected) << what;
    for (int p = 0; p < from.problems; ++p) {
      EXPECT_EQ(progress[p].iterations, expected_progress[p].iterations) << what << ", problem " << p;
      EXPECT_EQ(progress[p].cost, expected_progress[p].cost) << what << ", problem " << p;
    }
  };
  for (const int slots : {3, from.problems}) compare(solve(whole, slots, progress), "slots " + std::to_string(slots));
  // A whole problem needs the rows of two samples at a time per slot.
  test::FewRows few(random.kernel.minus_one, 3, 8, test::FewRows::Absent::null);
  compare(solve(few, 1, progress), "few rows");
  compare(solve(few, 3, progress), "few rows, 3 slots");
  EXPECT_GT(few.fetches, 0);
}

// With gamma >= 200 most samples are free and the sub-problem is the whole problem; with left_out 0.7 it is a part. The
// last case but one takes thousands of iterations and therefore Newton steps; the last is large enough for capped
// working sets.
INSTANTIATE_TEST_SUITE_P(Cases, DualSolverOnRandom,
                         ::testing::Values(RandomCase{1, 40, 4, 2, 1.0, 1.0, 0.0},
                                           RandomCase{2, 97, 4, 3, 0.5, 10, 0.3}, RandomCase{3, 150, 4, 2, 300, 5, 0.0},
                                           RandomCase{4, 161, 4, 4, 200, 0.5, 0.2},
                                           RandomCase{5, 300, 4, 5, 0.1, 100, 0.7},
                                           RandomCase{6, 310, 4, 3, 5, 1e4, 0.7}, RandomCase{7, 400, 5, 6, 1, 1e3, 0.6},
                                           RandomCase{8, 333, 4, 2, 2, 1e3, 0.7},
                                           RandomCase{9, 1300, 4, 4, 0.5, 10, 0.1}));

TEST(DualSolver, goes_on_rightly_after_a_solve_that_ran_out_of_iterations) {
  const RandomCase from{20, 600, 1, 3, 2.0, 50, 0.7};
  const auto random = test::make_random(from);
  const auto sign = test::signs_of(random.y);
  svm::WholeKernel<Device> rows(Device(), random.kernel.minus_one);
  const auto duals = svm::make_problems<Device>(Device(), sign);
  svm::DualSolver<Device> solver(Device(), svm::solver_size<Device>(1, from.n), from.n);
  solver.assign(1);
  std::vector<svm::Progress> progress(1);
  svm::SolveParams params = params_of(from);
  for (const int budget : {3, 10, 40, 100}) {
    params.max_iterations = budget;
    ASSERT_TRUE(solver.solve(duals, rows, params, {1}, progress));
    EXPECT_EQ(progress[0].iterations, budget);
    EXPECT_FALSE(progress[0].converged);
    const test::HostState state(duals);
    EXPECT_LE(test::gradient_error(state, random.kernel, 0, random.y[0]), 1e-8) << "after " << budget;
  }
  params.max_iterations = 1'000'000;
  ASSERT_TRUE(solver.solve(duals, rows, params, {1}, progress));
  EXPECT_TRUE(progress[0].converged);
  const auto fresh = svm::make_problems<Device>(Device(), sign);
  test::solve_in_waves(fresh, rows, 1, params);
  const double expected = test::dual_of(test::HostState(fresh), random.kernel, 0, random.y[0]);
  EXPECT_NEAR(test::dual_of(test::HostState(duals), random.kernel, 0, random.y[0]), expected, 2e-6 * expected);
}

TEST(DualSolver, is_as_new_after_a_solve_that_ran_out_of_iterations) {
  // The last working set was chosen but never loaded: the next solve must not treat its kernel entries as valid.
  for (unsigned seed = 30; seed < 40; ++seed) {
    const RandomCase from{seed, 1500, 1, 3, 2.0, 1.0, 0.5};
    const auto random = test::make_random(from);
    const auto sign = test::signs_of(random.y);
    svm::WholeKernel<Device> rows(Device(), random.kernel.minus_one);
    svm::DualSolver<Device> used(Device(), svm::solver_size<Device>(1, from.n), from.n);
    used.assign(1);
    std::vector<svm::Progress> progress(1);
    svm::SolveParams params = params_of(from);
    const auto duals = svm::make_problems<Device>(Device(), sign);
    params.max_iterations = 150 + 40 * static_cast<int>(seed - 30);
    ASSERT_TRUE(used.solve(duals, rows, params, {1}, progress));
    EXPECT_LE(progress[0].iterations, params.max_iterations);
    params.max_iterations = 100'000;
    ASSERT_TRUE(used.solve(duals, rows, params, {1}, progress));
    EXPECT_TRUE(progress[0].converged) << "seed " << seed;
    const auto fresh = svm::make_problems<Device>(Device(), sign);
    test::solve_in_waves(fresh, rows, 1, params);
    const double expected = test::dual_of(test::HostState(fresh), random.kernel, 0, random.y[0]);
    EXPECT_NEAR(test::dual_of(test::HostState(duals), random.kernel, 0, random.y[0]), expected, 2e-6 * expected)
        << "seed " << seed;
  }
}

/// A device has a slot for each problem, but no more than its memory holds: one-vs-one of 26 classes and 20,000 samples would take 155
/// GB. The kernel matrices of their working sets share a pool.
TEST(DualSolver, takes_no_more_slots_than_there_is_room_for) {
  constexpr int problems = 26 * 25 / 2, n = 20000;
  const auto bytes = [](int slots) {
    svm::SolverSize size = svm::solver_size_within(~0ULL, problems, n);
    size.slots = slots;
    return svm::solver_memory(size, n);
  };
  EXPECT_EQ(svm::solver_size_within(~0ULL, problems, n).slots, problems);
  EXPECT_GT(bytes(problems), 150'000'000'000U);
  const svm::SolverSize size = svm::solver_size_within(20ULL << 30, problems, n);
  EXPECT_LE(svm::solver_memory(size, n), 20ULL << 30);
  EXPECT_GT(svm::solver_memory(size, n), 19ULL << 30);
  EXPECT_GT(size.slots, 100);
  EXPECT_GE(size.kernel_entries, size.slots * svm::largest_kernel(size.capacity) / 16);
  EXPECT_LT(size.slots, problems);
  for (const std::uint64_t room : {std::uint64_t{1}, std::uint64_t{400} << 20}) {
    const svm::SolverSize least = svm::solver_size_within(room, problems, n);
    EXPECT_EQ(least.slots, 1);
    EXPECT_EQ(svm::solver_memory(least, n), bytes(1));
  }
  EXPECT_EQ(svm::solver_size<Host>(problems, n, 1).slots, std::min(problems, Host().concurrency()));
}

/// A pool that holds one of the largest kernel matrices holds that of every working set, and one that is smaller says so.
TEST(DualSolver, finds_room_for_the_largest_working_set_where_it_has_room_for_one) {
  // At first all of the 270 samples of a problem are members, and the capacity is no multiple of a vector's length.
  const RandomCase from{71, 600, 5, 3, 2.0, 100, 0.55};
  const auto random = test::make_random(from);
  svm::WholeKernel<Device> rows(Device(), random.kernel.minus_one);
  svm::SolverSize size = svm::solver_size<Device>(from.problems, from.n);
  ASSERT_NE(size.capacity, svm::places(size.capacity));
  size.slots = from.problems;
  const auto solve = [&](std::size_t entries) {
    size.kernel_entries = entries;
    svm::DualSolver<Device> solver(Device(), size, from.n);
    solver.assign(from.problems);
    const auto duals = svm::make_problems<Device>(Device(), test::signs_of(random.y));
    std::vector<svm::Progress> progress(from.problems);
    EXPECT_TRUE(solver.solve(duals, rows, params_of(from), std::vector<int>(from.problems, 1), progress));
    return test::HostState(duals).beta;
  };
  EXPECT_EQ(solve(svm::largest_kernel(size.capacity)), solve(0));
  EXPECT_THROW(solve(svm::largest_kernel(size.capacity) - 1), Error);
}

/// Five problems of which the kernel matrices of two working sets, at best, are in memory at a time.
TEST(DualSolver, gives_the_same_bits_where_working_sets_wait_for_memory) {
  const RandomCase from{70, 600, 5, 3, 2.0, 100, 0.4};
  const auto random = test::make_random(from);
  const auto sign = test::signs_of(random.y);
  svm::WholeKernel<Device> rows(Device(), random.kernel.minus_one);
  const auto solved = [&](std::size_t share) {
    svm::SolverSize size = svm::solver_size<Device>(from.problems, from.n);
    size.slots = from.problems;
    size.kernel_entries = share > 0 ? svm::largest_kernel(size.capacity) * share / 4 : 0;
    svm::DualSolver<Device> solver(Device(), size, from.n);
    solver.assign(from.problems);
    const auto duals = svm::make_problems<Device>(Device(), sign);
    std::vector<svm::Progress> progress(from.problems);
    const std::vector<int> all(from.problems, 1), two{0, 1, 0, 1, 0}, others{1, 0, 1, 0, 1};
    const auto to_ten = [&](const std::vector<int>& problems) {
      const Flags<int> follow("krossfold::test::follow", problems.size());
      std::copy(problems.begin(), problems.end(), follow.data());
      svm::scale_to<Device>(Device(), duals, 1, 10, follow);
      Kokkos::fence();
    };
    svm::SolveParams params = params_of(from);
    params.c = 1;
    EXPECT_TRUE(solver.solve(duals, rows, params, all, progress));
    params.c = 10;
    to_ten(two);
    EXPECT_TRUE(solver.solve(duals, rows, params, two, progress));  // the others lose their places
    to_ten(others);
    EXPECT_TRUE(solver.solve(duals, rows, params, all, progress));
    std::vector<double> result = test::HostState(duals).beta;
    for (const svm::Progress& one : progress) result.push_back(static_cast<double>(one.iterations));
    for (const svm::Progress& one : progress) result.push_back(one.cost);
    return result;
  };
  const std::vector<double> ample = solved(0);
  EXPECT_EQ(solved(4), ample) << "one of the largest";
  EXPECT_EQ(solved(6), ample);
  EXPECT_EQ(solved(10), ample);
}

/// A solver with a slot for each of its problems.
svm::DualSolver<Device> side_by_side(int problems, int samples) {
  svm::SolverSize size = svm::solver_size<Device>(problems, samples);
  size.slots = problems;
  svm::DualSolver<Device> solver(Device(), size, samples);
  solver.assign(problems);
  return solver;
}

TEST(DualSolver, stops_in_a_feasible_state) {
  const RandomCase from{50, 300, 3, 3, 1.0, 10, 0.3};
  const auto random = test::make_random(from);
  const auto duals = svm::make_problems<Device>(Device(), test::signs_of(random.y));
  svm::WholeKernel<Device> rows(Device(), random.kernel.minus_one);
  svm::DualSolver<Device> solver = side_by_side(3, from.n);
  std::vector<svm::Progress> progress(3);
  svm::SolveParams params = params_of(from);
  params.max_iterations = 60;
  ASSERT_TRUE(solver.solve(duals, rows, params, {1, 1, 1}, progress));  // something to keep
  std::stop_source source;
  source.request_stop();
  params.stop = source.get_token();
  params.max_iterations = 1'000'000;
  EXPECT_FALSE(solver.solve(duals, rows, params, {1, 1, 1}, progress));
  const test::HostState state(duals);
  for (int p = 0; p < 3; ++p) {
    double sum = 0, mass = 0;
    for (int i = 0; i < from.n; ++i) {
      const double beta = state.beta[p * from.n + i];
      const auto sign = static_cast<std::int8_t>(random.y[p][i]);
      ASSERT_GE(beta, svm::lower_bound(sign * from.c));
      ASSERT_LE(beta, svm::upper_bound(sign * from.c));
      sum += beta;
      mass += std::abs(beta);
    }
    EXPECT_NEAR(sum, 0, 1e-12 * mass);
    EXPECT_LE(test::gradient_error(state, random.kernel, p, random.y[p]), 1e-10);
  }
  params.stop = {};
  ASSERT_TRUE(solver.solve(duals, rows, params, {1, 1, 1}, progress));
  EXPECT_TRUE(progress[0].converged) << "a stopped solver does not continue";
}

TEST(DualSolver, leaves_problems_alone_that_are_not_to_be_followed) {
  const RandomCase from{51, 200, 2, 3, 1.0, 10, 0.3};
  const auto random = test::make_random(from);
  const auto duals = svm::make_problems<Device>(Device(), test::signs_of(random.y));
  svm::WholeKernel<Device> rows(Device(), random.kernel.minus_one);
  svm::DualSolver<Device> solver = side_by_side(2, from.n);
  std::vector<svm::Progress> progress(2);
  ASSERT_TRUE(solver.solve(duals, rows, params_of(from), {0, 1}, progress));
  const test::HostState state(duals);
  for (int i = 0; i < from.n; ++i) ASSERT_EQ(state.beta[i], 0.0);
  EXPECT_TRUE(progress[1].converged);
  EXPECT_GT(progress[1].iterations, 0);
}

}  // namespace
}  // namespace krossfold
