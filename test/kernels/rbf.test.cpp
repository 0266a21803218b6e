// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/rbf.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "test/kernels/random_matrix.hpp"

namespace krossfold {
namespace {

class Rbf : public ::testing::TestWithParam<double> {};

TEST_P(Rbf, less_one_has_full_relative_precision) {
  const double gamma = GetParam();
  const int m = 37, n = 131;
  const auto d2 = test::random_matrix<float>(m, n, 40, 0, 5000, true);
  d2(0, 0) = 0;
  const auto k = padded_matrix<float, Device>("krossfold::test::k", m, n);
  const Matrix<const float, Device> d2_device = on_device<Device>(d2);
  kernels::rbf_minus_one<Device>(Device(), k, d2_device, gamma);
  const auto found = on_host(k);
  EXPECT_EQ(found(0, 0), 0.0f);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const double x = -gamma * static_cast<double>(d2(i, j)), right = std::expm1(x);
      // One ulp is 2^-24 to 2^-23 of the value; 2 ulp are allowed, and 0.75 where |x| < ln 2 / 2.
      ASSERT_NEAR(found(i, j), right, std::abs(right) * (x > -0.34 ? 9e-8 : 2.4e-7)) << i << ", " << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gammas, Rbf, ::testing::Values(1e-9, 1e-6, 1e-3, 0.01, 1.0));

/// There the rounding error of gamma d2 is itself far above 1.
TEST(RbfOfFarPoints, is_exactly_minus_one) {
  const Matrix<float> d2("krossfold::test::d2", 1, 48);
  for (int j = 0; j < 47; ++j) d2(0, j) = 25.0F * std::pow(6.0F, static_cast<float>(j)) / 3;
  d2(0, 47) = std::numeric_limits<float>::infinity();
  const Matrix<float, Device> k("krossfold::test::k", 1, 48);
  const Matrix<const float, Device> d2_device = on_device<Device>(d2);
  for (const double gamma : {3.7, 1315.4755012930125, 1e6, 1e30}) {
    kernels::rbf_minus_one<Device>(Device(), k, d2_device, gamma);
    const auto found = on_host(k);
    for (int j = 0; j < 48; ++j) EXPECT_EQ(found(0, j), -1.0F) << gamma << ' ' << d2(0, j);
  }
}

TEST(RbfInPlace, gives_the_same) {
  const auto d2 = test::random_matrix<float>(9, 70, 41, 0, 100);
  const Matrix<float, Device> other("krossfold::test::other", 9, 70);
  const Matrix<float, Device> same("krossfold::test::same", 9, 70);
  Kokkos::deep_copy(same, d2);
  const Matrix<const float, Device> d2_device = on_device<Device>(d2);
  kernels::rbf_minus_one<Device>(Device(), other, d2_device, 0.01);
  kernels::rbf_minus_one<Device>(Device(), same, same, 0.01);
  const auto a = on_host(other), b = on_host(same);
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 70; ++j) ASSERT_EQ(a(i, j), b(i, j));
  }
}

TEST(RbfInParts, ends_where_a_poll_says_so_and_polls_change_nothing) {
  const int m = 1300;
  const Matrix<const float, Device> d2 = on_device<Device>(test::random_matrix<float>(m, 20, 42, 0, 100));
  const Matrix<float, Device> whole("krossfold::test::whole", m, 20), part("krossfold::test::part", m, 20);
  int polls = 0;
  kernels::rbf_minus_one<Device>(Device(), whole, d2, 0.01, [&] { ++polls; });
  EXPECT_GE(polls, 2);
  int calls = 0;
  EXPECT_THROW(kernels::rbf_minus_one<Device>(Device(), part, d2, 0.01,
                                              [&] {
                                                if (++calls == polls) throw Stopped();
                                              }),
               Stopped);
  Kokkos::fence();
  const auto all = on_host(whole), some = on_host(part);
  EXPECT_EQ(some(0, 0), all(0, 0));
  EXPECT_NE(all(m - 1, 0), 0);
  EXPECT_EQ(some(m - 1, 0), 0) << "it went on after the poll";
}

}  // namespace
}  // namespace krossfold
