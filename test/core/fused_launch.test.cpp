// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/fused_launch.hpp"

#include <gtest/gtest.h>

#include "krossfold/core/bounded_teams.hpp"
#include "test/launches.hpp"

namespace krossfold {
namespace {

using Numbers = Vector<double, Device>;

/// value(k) += factor * k by a range, then value(t) += factor * (0 + ... + t) by teams.
std::function<void()> work(const Numbers& value, double factor, int teams) {
  return [=] {
    const auto count = static_cast<std::int64_t>(value.extent(0));
    launch_range(
        "krossfold::test::range", Device(), count, KOKKOS_LAMBDA(std::int64_t k) { value(k) += factor * k; });
    launch_teams<Device>(
        "krossfold::test::teams", teams, [](int n) { return bounded_teams<32>(Device(), n, 32); },
        KOKKOS_LAMBDA(const Team<Device>& member, int team) {
          double sum = 0;
          Kokkos::parallel_reduce(
              Kokkos::TeamThreadRange(member, team + 1), [&](int i, double& part) { part += factor * i; }, sum);
          Kokkos::single(Kokkos::PerTeam(member), [&] { value(team) += sum; });
        });
  };
}

std::vector<double> numbers(const Numbers& value) {
  const auto host = on_host(value);
  return {host.data(), host.data() + host.extent(0)};
}

std::vector<double> alone(int size, double factor, int teams, int times) {
  const Numbers value("krossfold::test::value", size);
  for (int time = 0; time < times; ++time) work(value, factor, teams)();
  return numbers(value);
}

TEST(FusedLaunch, gives_each_function_what_it_gives_alone_in_one_kernel_for_all) {
  const double factors[] = {0.1, 3, -7e5};
  for (const int size : {5, 32, 100}) {
    std::vector<Numbers> value;
    std::vector<std::function<void()>> functions;
    for (const double factor : factors) {
      value.emplace_back("krossfold::test::value", size);
      functions.push_back(work(value.back(), factor, 4));
    }
    FusedLaunch<Device> fused(Device(), functions);
    ASSERT_EQ(fused.fits(), repeats_launches<Device>);
    if (!fused.fits()) GTEST_SKIP() << "this space does not repeat launches";
    for (int k = 0; k < 3; ++k) EXPECT_EQ(numbers(value[k]), std::vector<double>(size)) << "noted, not run";
    const auto launches = test::launches_of([&] { fused.launch(); });
    EXPECT_EQ(launches.total(), 2) << test::text_of(launches);
    for (int time = 1; time < 3; ++time) fused.launch();
    for (int k = 0; k < 3; ++k) EXPECT_EQ(numbers(value[k]), alone(size, factors[k], 4, 3)) << size << ' ' << k;
    EXPECT_EQ(fused.recorded(), has_graphs<Device>);
  }
}

TEST(FusedLaunch, does_not_fit_functions_that_launch_other_kernels) {
  if (!repeats_launches<Device>) GTEST_SKIP() << "this space does not repeat launches";
  const Numbers one("krossfold::test::one", 9), two("krossfold::test::two", 9), longer("krossfold::test::longer", 10);
  const auto fits = [](std::function<void()> a, std::function<void()> b) {
    return FusedLaunch<Device>(Device(), {std::move(a), std::move(b)}).fits();
  };
  EXPECT_TRUE(fits(work(one, 1, 4), work(two, 2, 4)));
  EXPECT_FALSE(fits(work(one, 1, 4), work(longer, 1, 4)));
  EXPECT_FALSE(fits(work(one, 1, 4), work(two, 1, 5)));
  EXPECT_FALSE(fits(work(one, 1, 4), [] {}));
  EXPECT_FALSE(fits(work(one, 1, 4), [&] {
    work(two, 1, 4)();
    work(two, 1, 4)();
  }));
  EXPECT_EQ(numbers(two), std::vector<double>(9));
}

TEST(FusedLaunch, launches_at_once_after_functions_were_noted) {
  const Numbers value("krossfold::test::value", 9);
  const FusedLaunch<Device> of_nothing(Device(), {});
  EXPECT_FALSE(of_nothing.fits());
  work(value, 2, 3)();
  EXPECT_EQ(numbers(value), alone(9, 2, 3, 1));
}

}  // namespace
}  // namespace krossfold
