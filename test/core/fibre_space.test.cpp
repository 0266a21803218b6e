// SPDX-License-Identifier: BSD-3-Clause
// That the execution space of the preset "fibres" finds the errors that it is for; empty in other builds.
#include "krossfold/core/view.hpp"

#ifdef KROSSFOLD_FIBRES

#include <gtest/gtest.h>

namespace krossfold {
namespace {

constexpr int threads = 6, lanes = 4;
using Policy = Kokkos::TeamPolicy<Fibres>;
using Member = Team<Fibres>;

/// Launches body(member) for one team.
template <class Body>
void launch_team(const Body& body) {
  Kokkos::parallel_for("krossfold::test::team", Policy(Fibres(), 1, threads, lanes), body);
}

void set_to(const Vector<int, Fibres>& out, int value) {
  Kokkos::parallel_for("krossfold::test::set", Kokkos::RangePolicy<Fibres>(Fibres(), 0, 1),
                       [=](int) { out(0) = value; });
}

TEST(Fibres, kernels_run_in_order_at_the_next_fence_of_any_kind_and_not_before) {
  const Vector<int, Fibres> out("krossfold::test::out", 1), other("krossfold::test::other", 1);
  set_to(out, 1);
  set_to(out, 2);
  EXPECT_EQ(out(0), 0);
  Fibres().fence();
  EXPECT_EQ(out(0), 2);
  set_to(out, 3);
  Kokkos::fence();
  EXPECT_EQ(out(0), 3);
  set_to(out, 4);
  EXPECT_EQ(on_host(out)(0), 4);
  set_to(out, 5);
  Kokkos::deep_copy(other, out);
  EXPECT_EQ(other(0), 5);
  set_to(out, 6);
  Kokkos::deep_copy(Fibres(), other, out);
  EXPECT_EQ(other(0), 5) << "a copy of an instance does not wait";
  fence(Fibres(), "krossfold::test");
  EXPECT_EQ(other(0), 6);
}

TEST(Fibres, memory_is_released_when_the_kernels_that_use_it_have_ended) {
  const Vector<int, Fibres> out("krossfold::test::out", 1);
  {
    const Vector<int, Fibres> in("krossfold::test::in", 1);
    set_to(in, 7);
    Kokkos::parallel_for("krossfold::test::copy", Kokkos::RangePolicy<Fibres>(Fibres(), 0, 1),
                         [=](int) { out(0) = in(0); });
    EXPECT_EQ(out(0), 0);
  }
  EXPECT_EQ(out(0), 7);
}

TEST(Fibres, every_lane_of_a_thread_gets_the_sum_over_the_lanes_whatever_other_threads_do) {
  const Matrix<int, Fibres> sum("krossfold::test::sum", threads, lanes), once("krossfold::test::once", threads, 2);
  launch_team([=](const Member& member) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, threads - 2), [&](int row) {  // two threads have none
      int found = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(member, 10 + row), [&](int i, int& part) { part += i; }, Kokkos::Sum<int>(found));
      sum(row, member.lane()) = found;
      Kokkos::single(Kokkos::PerThread(member), [&] { ++once(row, 0); });
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, 9), [&](int) { ++once(row, 1); });
    });
    member.team_barrier();
  });
  Fibres().fence();
  for (int row = 0; row < threads - 2; ++row) {
    for (int lane = 0; lane < lanes; ++lane)
      EXPECT_EQ(sum(row, lane), (10 + row) * (9 + row) / 2) << row << ' ' << lane;
    EXPECT_EQ(once(row, 0), 1);
    EXPECT_EQ(once(row, 1), 9);
  }
}

TEST(Fibres, code_outside_of_a_single_runs_once_per_lane_and_that_in_one_per_team_once) {
  const Vector<int, Fibres> count("krossfold::test::count", 2);
  launch_team([=](const Member& member) {
    ++count(0);
    Kokkos::single(Kokkos::PerTeam(member), [&] { ++count(1); });
  });
  Fibres().fence();
  EXPECT_EQ(count(0), threads * lanes);
  EXPECT_EQ(count(1), 1);
}

TEST(Fibres, a_missing_barrier_shows_within_twenty_launches) {
  const Vector<int, Fibres> value("krossfold::test::value", threads);
  const auto wrong_of = [&](bool waits) {
    int wrong = 0;
    for (int k = 0; k < 20; ++k) {
      for (int r = 0; r < threads; ++r) value(r) = r;
      launch_team([=](const Member& member) {  // moves every number to the next place
        const int from = value((member.team_rank() + 1) % threads);
        if (waits) member.team_barrier();
        value(member.team_rank()) = from;
      });
      Fibres().fence();
      for (int r = 0; r < threads; ++r) wrong += value(r) != (r + 1) % threads ? 1 : 0;
    }
    return wrong;
  };
  EXPECT_GT(wrong_of(false), 0);
  EXPECT_EQ(wrong_of(true), 0);
}

void run(void (*body)(const Member&)) {
  launch_team([=](const Member& member) { body(member); });
  Fibres().fence();
}

void some_wait(const Member& member) {
  if (member.team_rank() != 2) member.team_barrier();
}
void wait_at_two_places(const Member& member) {
  if (member.team_rank() == 2) {
    member.team_barrier();
  } else {
    member.team_barrier();
  }
}
void some_lanes_reduce(const Member& member) {
  int sum = 0;
  const auto range = Kokkos::ThreadVectorRange(member, 3);
  if (member.lane() != 1)
    Kokkos::parallel_reduce(
        range, [](int, int&) {}, Kokkos::Sum<int>(sum));
  member.team_barrier();
}
void launch_within(const Member&) { run(some_wait); }

TEST(Fibres, barriers_that_do_not_match_end_the_program_with_their_lines) {
  EXPECT_DEATH(run(some_wait), "a thread of a team ended while others wait at a barrier, .*fibre_space.test.cpp:");
  EXPECT_DEATH(run(wait_at_two_places), "threads of a team wait at different barriers, .*cpp:.* and .*cpp:");
  EXPECT_DEATH(run(some_lanes_reduce), "only some lanes of a thread wait for one another, .*fibre_space.test.cpp:");
  EXPECT_DEATH(run(launch_within), "a kernel was launched within another");
}

}  // namespace
}  // namespace krossfold

#endif
