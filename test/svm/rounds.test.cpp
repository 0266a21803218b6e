// SPDX-License-Identifier: BSD-3-Clause
// The record of a solver's rounds (svm::Round), and what a device is asked to do in each of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "krossfold/kernels/rbf.hpp"
#include "krossfold/kernels/squared_distance.hpp"
#include "krossfold/svm/kernel_rows.hpp"
#include "krossfold/svm/path.hpp"
#include "test/launches.hpp"
#include "test/svm/overlapping.hpp"
#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

using Rounds = std::vector<std::pair<int, svm::Round>>;  // with the index of C

struct Search {
  test::Overlapping set{300, 5, 21};
  Matrix<float, Device> matrix;
  svm::WholeKernel<Device> rows;
  svm::DualSolver<Device> solver;
  svm::PathParams params;

  explicit Search(double gamma)
      : matrix(padded_matrix<float, Device>("krossfold::test::kernel", set.size(), set.size())),
        rows(Device(), matrix),
        solver(Device(), svm::solver_size<Device>(2, set.size()), set.size()) {
    params.c = {0.1, 1, 10, 100};
    kernels::squared_distance<Device, double>(Device(), matrix, on_device<Device>(set.x));
    kernels::rbf_minus_one<Device>(Device(), matrix, matrix, gamma);
  }

  /// Two problems, the second one with the signs turned round in blocks of three.
  svm::PathSolution<Device> solve(Rounds* rounds) {
    std::vector<int> other = set.y;
    for (std::size_t i = 0; i < other.size(); ++i) other[i] = i / 3 % 2 == 0 ? 1 : -1;
    if (rounds != nullptr) params.record = [=](int c, const svm::Round& round) { rounds->emplace_back(c, round); };
    return svm::solve_path<Device>(Device(), solver, rows, test::signs_of({set.y, other}), Vector<const int, Device>(),
                                   params);
  }
};

TEST(Rounds, add_up_to_the_iterations_of_every_fit_and_change_nothing) {
  int newtons = 0;
  for (const double gamma : {0.02, 0.5}) {
    SCOPED_TRACE(gamma);
    Rounds rounds;
    const auto plain = Search(gamma).solve(nullptr), recorded = Search(gamma).solve(&rounds);
    ASSERT_FALSE(rounds.empty());
    std::map<std::pair<int, int>, std::int64_t> iterations;
    for (const auto& [c, round] : rounds) {
      EXPECT_LE(round.changed, round.members);
      EXPECT_LE(round.fresh, round.members);
      EXPECT_EQ(round.members == 300, round.whole);
      for (const svm::Stretch& stretch : round.stretch) {
        iterations[{c, round.problem}] += stretch.iterations;
        newtons += stretch.newton > 0 ? 1 : 0;
        if (stretch.newton > 0) {
          EXPECT_GE(stretch.free, 3);
          EXPECT_GE(stretch.newton, svm::factor_cost(3));
        } else {
          EXPECT_EQ(stretch.free, 0);
        }
      }
    }
    for (int c = 0; c < 4; ++c) {
      for (int p = 0; p < 2; ++p) {
        const auto at = static_cast<std::size_t>(c * 2 + p);
        EXPECT_EQ((iterations[{c, p}]), recorded.fit[at].iterations) << c << ' ' << p;
        EXPECT_EQ(recorded.fit[at].iterations, plain.fit[at].iterations);
        EXPECT_EQ(recorded.fit[at].dual_objective, plain.fit[at].dual_objective);
      }
    }
  }
  EXPECT_GT(newtons, 0);
}

TEST(Rounds, launch_as_many_kernels_whatever_the_number_of_problems) {
  if (!test::forms_of_devices) GTEST_SKIP() << "the forms for hosts launch others";
  Search search(0.02);
  Rounds rounds;
  const auto launches = test::launches_of([&] { search.solve(&rounds); });
  SCOPED_TRACE(test::text_of(launches));
  // Rounds of both problems go side by side, and in them their stretches, which are too short for more than a launch each.
  std::map<int, std::map<int, std::vector<int>>> stretches;
  for (const auto& [c, round] : rounds) stretches[c][round.problem].push_back(static_cast<int>(round.stretch.size()));
  int all = 0, most = 0;
  for (const auto& [c, of] : stretches) {
    std::size_t longest = 0;
    for (const auto& [problem, list] : of) longest = std::max(longest, list.size());
    all += static_cast<int>(longest);
    for (std::size_t k = 0; k < longest; ++k) {
      int together = 0;
      for (const auto& [problem, list] : of) together = std::max(together, k < list.size() ? list[k] : 0);
      most += together + 1;  // after a Newton step SMO has to look once more, though it may find nothing to do
    }
  }
  EXPECT_GE(launches.of("krossfold::svm::smo"), all);
  EXPECT_LE(launches.of("krossfold::svm::smo"), most);
  EXPECT_LE(launches.total(), 12 * all + 60 * most);
  EXPECT_EQ(launches.copies, 0);
}

}  // namespace
}  // namespace krossfold
