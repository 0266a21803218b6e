// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/sub_problem.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

constexpr double c = 2, tolerance = 1e-3;

/// Random problems, started at a random point of the box, and their sub-problems.
struct Rounds {
  test::RandomProblem random;
  svm::DualProblems<Device> duals;
  svm::SubProblems<Device> subs;
  std::unique_ptr<svm::KernelRows<Device>> rows;
  int n, problems;
  std::string seed;

  Rounds(const test::RandomCase& from, bool few)
      : random(test::make_random(from)), n(from.n), problems(from.problems), seed("seed " + std::to_string(from.seed)) {
    duals = svm::make_problems<Device>(Device(), test::signs_of(random.y));
    subs = svm::make_sub_problems<Device>(problems, n, n);
    svm::assign_slots(Device(), subs, problems);
    if (few) {
      rows = std::make_unique<test::FewRows>(random.kernel.minus_one, 3, 3, test::FewRows::Absent::nan);
    } else {
      rows = std::make_unique<svm::WholeKernel<Device>>(Device(), random.kernel.minus_one);
    }
    for (int p = 0; p < problems; ++p) start_anew(p, from.seed + static_cast<unsigned>(p));
  }

  /// Makes about a tenth of a problem's samples free and puts two tenths at C, the others at 0.
  void start_anew(int p, unsigned at) {
    std::mt19937 engine(at);
    std::vector<double> beta(n, 0.0);
    for (int i = 0; i < n; ++i) {
      const unsigned die = engine() % 10;
      beta[i] = random.y[p][i] * (die == 0 ? 0.25 * (1 + engine() % 6) : die < 3 ? c : 0.0);
    }
    test::set_beta(duals, random.kernel, p, random.y[p], beta);
  }
  void choose_and_load() {
    for (int s = 0; s < problems; ++s) subs.slot(s).active = 1;
    svm::choose_working_sets(Device(), subs, duals, c, tolerance);
    svm::load_sub_problems(Device(), subs, duals, *rows, c);
  }
  /// Moves some members within their box, differently from round to round.
  void change_members(int round) {
    const auto beta = on_host(subs.beta);
    const auto bound = on_host(subs.bound);
    for (int s = 0; s < problems; ++s) {
      for (int r = round; r < subs.slot(s).members; r += 3) {
        beta(s, r) = bound(s, r) * (r % 2 == 0 ? 1 : std::fmod(0.37 * (r + round), 1));
      }
    }
    Kokkos::deep_copy(subs.beta, beta);
  }
  test::HostState store() {
    svm::store_sub_problems(Device(), subs, duals, *rows);
    return test::HostState(duals);
  }
};

const test::RandomCase kCases[] = {
    {300, 200, 3, 3, 1.0, c, 0.6}, {310, 333, 2, 2, 3.0, c, 0.55}, {320, 2100, 1, 3, 1.0, c, 0.1}};

class SubProblems : public ::testing::TestWithParam<test::RandomCase> {};

/// Checks the working sets against the problems: members, places, order and contents.
void expect_working_sets(const Rounds& work) {
  const auto sample = on_host(work.subs.sample), position = on_host(work.subs.position),
             sorted = on_host(work.subs.sorted);
  const auto kernel = on_host(work.subs.kernel);
  const auto beta = on_host(work.subs.beta), gradient = on_host(work.subs.gradient);
  const test::HostState state(work.duals);
  const int n = work.n;
  for (int s = 0; s < work.problems; ++s) {
    const svm::Slot& slot = work.subs.slot(s);
    ASSERT_EQ(slot.active, 1) << work.seed;
    ASSERT_EQ(slot.whole, 0) << "the case does not test what it should, " << work.seed;
    ASSERT_GT(slot.members, 0);
    ASSERT_LE(slot.members, work.subs.capacity);
    int in_place = 0, free = 0, high = -1, low = -1;
    for (int i = 0; i < n; ++i) {
      in_place += position(s, i) >= 0;
      const auto freedom = svm::freedom_of(state.beta[s * n + i], work.random.y[s][i] * c);
      const double g = state.gradient[s * n + i];
      if (freedom == (svm::can_grow | svm::can_shrink)) {
        ASSERT_GE(position(s, i), 0) << "free sample " << i << " is not a member, " << work.seed;
        ++free;
      }
      if ((freedom & svm::can_grow) != 0 && (high < 0 || g > state.gradient[s * n + high])) high = i;
      if ((freedom & svm::can_shrink) != 0 && (low < 0 || g < state.gradient[s * n + low])) low = i;
    }
    EXPECT_EQ(slot.violation, state.gradient[s * n + high] - state.gradient[s * n + low]);
    EXPECT_GE(position(s, high), 0) << "the worst violator that can grow is not a member, " << work.seed;
    EXPECT_GE(position(s, low), 0) << "the worst violator that can shrink is not a member, " << work.seed;
    EXPECT_EQ(slot.free, free) << work.seed;
    ASSERT_EQ(in_place, slot.members) << work.seed;
    for (int r = 0; r < slot.members; ++r) {
      ASSERT_EQ(position(s, sample(s, r)), r) << work.seed;
      ASSERT_EQ(beta(s, r), state.beta[s * n + sample(s, r)]);
      ASSERT_EQ(gradient(s, r), state.gradient[s * n + sample(s, r)]);
      if (r > 0) {
        ASSERT_LT(sorted(s, r - 1), sorted(s, r)) << work.seed;
      }
      ASSERT_GE(position(s, sorted(s, r)), 0) << work.seed;
    }
    for (int r = 0; r < slot.members; ++r) {
      for (int k = 0; k < slot.members; ++k) {
        ASSERT_EQ(1.0 + static_cast<double>(kernel(slot.origin + static_cast<std::size_t>(r) * slot.stride + k)),
                  work.random.kernel.exact[static_cast<std::size_t>(sample(s, r)) * n + sample(s, k)])
            << work.seed << ", slot " << s << ", members " << r << ", " << k;
      }
    }
  }
}

TEST_P(SubProblems, have_the_free_and_worst_samples_with_their_kernel_entries_round_after_round) {
  Rounds work(GetParam(), false);
  std::vector<std::set<int>> before;
  int replaced = 0;
  for (int round = 0; round < 5; ++round) {
    work.choose_and_load();
    ASSERT_NO_FATAL_FAILURE(expect_working_sets(work)) << "round " << round;
    const auto sample = on_host(work.subs.sample);
    std::vector<std::set<int>> now(work.problems);
    for (int s = 0; s < work.problems; ++s) {
      for (int r = 0; r < work.subs.slot(s).members; ++r) now[s].insert(sample(s, r));
      if (round > 0) {
        int gone = 0, kept = 0;
        for (const int i : before[s]) (now[s].count(i) != 0 ? kept : gone) += 1;
        replaced += gone > 0 && kept > 0;
      }
    }
    before = now;
    work.change_members(round);
    work.store();
    if (round % 2 == 1) work.start_anew(0, GetParam().seed + 50 + static_cast<unsigned>(round));
  }
  EXPECT_GT(replaced, 0) << "no round replaced members, " << work.seed;
}

TEST_P(SubProblems, leave_the_gradient_of_all_samples_up_to_date) {
  Rounds work(GetParam(), false);
  for (int round = 0; round < 3; ++round) {
    work.choose_and_load();
    work.change_members(round);
    const auto state = work.store();
    for (int p = 0; p < work.problems; ++p) {
      // The solver uses K - 1, which shifts the gradient here because these changes do not preserve the sum of beta.
      std::vector<double> beta(state.beta.begin() + p * work.n, state.beta.begin() + (p + 1) * work.n);
      for (int i = 0; i < work.n; ++i) {
        ASSERT_LE(std::abs(beta[i]), c);
        if (work.random.y[p][i] == 0) {
          ASSERT_EQ(beta[i], 0.0);
        }
      }
      double shift = 0, first = 0;
      for (int i = 0; i < work.n; ++i) {
        double expected = work.random.y[p][i];
        for (int j = 0; j < work.n; ++j) {
          expected -= work.random.kernel.exact[static_cast<std::size_t>(i) * work.n + j] * beta[j];
        }
        shift = state.gradient[p * work.n + i] - expected;
        if (i == 0) first = shift;
        ASSERT_NEAR(shift, first, 1e-11 * work.n)
            << work.seed << ", round " << round << ", sample " << i << ", sign " << work.random.y[p][i];
      }
      test::set_beta(work.duals, work.random.kernel, p, work.random.y[p], beta);
    }
  }
}

TEST_P(SubProblems, have_the_same_bits_from_a_kernel_of_which_three_rows_are_in_place) {
  Rounds whole(GetParam(), false), few(GetParam(), true);
  for (int round = 0; round < 3; ++round) {
    whole.choose_and_load();
    few.choose_and_load();
    ASSERT_NO_FATAL_FAILURE(expect_working_sets(few)) << "round " << round;
    whole.change_members(round);
    few.change_members(round);
    const auto a = whole.store(), b = few.store();
    ASSERT_TRUE(a == b) << whole.seed << ", round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, SubProblems, ::testing::ValuesIn(kCases));

TEST(ChooseWorkingSets, ends_a_slot_whose_problem_is_solved) {
  const int n = 12;
  std::vector<int> y(n, 0);
  y[0] = 1;  // nothing to pair it with
  const auto duals = svm::make_problems<Device>(Device(), test::signs_of({y}));
  const auto subs = svm::make_sub_problems<Device>(1, n, n);
  svm::assign_slots(Device(), subs, 1);
  subs.slot(0).active = 1;
  svm::choose_working_sets(Device(), subs, duals, c, tolerance);
  EXPECT_EQ(subs.slot(0).active, 0);
  EXPECT_FALSE(subs.slot(0).violation > tolerance);
}

}  // namespace
}  // namespace krossfold
