// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/squared_distance.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "krossfold/core/error.hpp"
#include "test/kernels/random_matrix.hpp"

namespace krossfold {
namespace {

/// Reference by the definition, in double.
template <class T>
double reference(const Matrix<T>& x, int i, const Matrix<T>& y, int j) {
  double sum = 0;
  for (std::size_t k = 0; k < x.extent(1); ++k) {
    const double d = static_cast<double>(x(i, k)) - static_cast<double>(y(j, k));
    sum += d * d;
  }
  return sum;
}

class SquaredDistance : public ::testing::TestWithParam<test::Shape> {};

TEST_P(SquaredDistance, is_exact_for_whole_numbers) {
  const test::Shape s = GetParam();
  const auto x = test::random_matrix<float>(s.m, s.k, s.seed, -128, 127, true);
  const auto y = test::random_matrix<float>(s.n, s.k, s.seed + 1, -128, 127, true);
  ASSERT_TRUE(kernels::exact_in_float(128, s.k));
  const auto d2 = padded_matrix<float, Device>("krossfold::test::d2", s.m, s.n);
  const Matrix<const float, Device> x_device = on_device<Device>(x), y_device = on_device<Device>(y);
  kernels::squared_distance<Device, float>(Device(), d2, x_device, y_device);
  const auto found = on_host(d2);
  for (int i = 0; i < s.m; ++i) {
    for (int j = 0; j < s.n; ++j) ASSERT_EQ(found(i, j), static_cast<float>(reference(x, i, y, j))) << i << ", " << j;
  }
}

TEST_P(SquaredDistance, agrees_with_its_definition_for_real_numbers) {
  const test::Shape s = GetParam();
  const auto x = test::random_matrix<double>(s.m, s.k, s.seed, -2, 2);
  const auto y = test::random_matrix<double>(s.n, s.k, s.seed + 1, -2, 2);
  const Matrix<float, Device> d2("krossfold::test::d2", s.m, s.n);
  const Matrix<const double, Device> x_device = on_device<Device>(x), y_device = on_device<Device>(y);
  kernels::squared_distance<Device, double>(Device(), d2, x_device, y_device);
  const auto found = on_host(d2);
  for (int i = 0; i < s.m; ++i) {
    for (int j = 0; j < s.n; ++j) {
      const double right = reference(x, i, y, j);
      ASSERT_NEAR(found(i, j), right, 1.2e-7 * right + 1e-14 * s.k) << i << ", " << j;
    }
  }
}

TEST_P(SquaredDistance, within_one_set_is_symmetric_with_a_zero_diagonal) {
  const test::Shape s = GetParam();
  const auto x = test::random_matrix<double>(s.m, s.k, s.seed, -2, 2);
  const auto d2 = padded_matrix<float, Device>("krossfold::test::d2", s.m, s.m);
  const Matrix<const double, Device> x_device = on_device<Device>(x);
  kernels::squared_distance<Device, double>(Device(), d2, x_device);
  const auto found = on_host(d2);
  for (int i = 0; i < s.m; ++i) {
    ASSERT_EQ(found(i, i), 0.0f);
    for (int j = 0; j < i; ++j) {
      ASSERT_EQ(found(i, j), found(j, i)) << i << ", " << j;
      const double right = reference(x, i, x, j);
      ASSERT_NEAR(found(i, j), right, 1.2e-7 * right + 1e-14 * s.k) << i << ", " << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(RandomShapes, SquaredDistance,
                         ::testing::Values(test::Shape{1, 1, 1, 20}, test::Shape{5, 7, 3, 21},
                                           test::Shape{513, 40, 64, 22}, test::Shape{600, 1030, 17, 23},
                                           test::Shape{90, 512, 784, 24}));

TEST(SquaredDistanceTiles, do_not_change_an_element) {
  // The rows from 512 on, computed alone, are bitwise identical to those of the whole matrix.
  const auto x = test::random_matrix<double>(700, 64, 30, -2, 2);
  const Matrix<const double, Device> x_device = on_device<Device>(x);
  const Matrix<float, Device> whole("krossfold::test::whole", 700, 700), part("krossfold::test::part", 188, 700);
  kernels::squared_distance<Device, double>(Device(), whole, x_device, x_device);
  const Matrix<const double, Device> rest = Kokkos::subview(x_device, Kokkos::make_pair(512, 700), Kokkos::ALL);
  kernels::squared_distance<Device, double>(Device(), part, rest, x_device);
  const auto whole_host = on_host(whole), part_host = on_host(part);
  for (int i = 0; i < 188; ++i) {
    for (int j = 0; j < 700; ++j) ASSERT_EQ(part_host(i, j), whole_host(512 + i, j)) << i << ", " << j;
  }
}

TEST(SquaredDistanceTiles, may_be_shared_out_and_formed_one_band_at_a_time) {
  constexpr int n = 1300;
  const auto x = test::random_matrix<double>(n, 33, 31, -2, 2);
  const Matrix<const double, Device> x_device = on_device<Device>(x);
  const auto whole = padded_matrix<float, Device>("krossfold::test::whole", n, n);
  const auto shared = padded_matrix<float, Device>("krossfold::test::shared", n, n);
  kernels::squared_distance<Device, double>(Device(), whole, x_device);
  for (const int part : {1, 0}) kernels::squared_distance<Device, double>(Device(), shared, x_device, {part, 2});
  const auto whole_host = on_host(whole), shared_host = on_host(shared);
  for (int first = 0; first < n; first += kernels::distance_tile) {
    const int rows = std::min(kernels::distance_tile, n - first);
    const Matrix<float, Device> band("krossfold::test::band", rows, n);
    kernels::squared_distance_band<Device, double>(Device(), band, x_device, first);
    const auto band_host = on_host(band);
    for (int r = 0; r < rows; ++r) {
      for (int j = 0; j < n; ++j) {
        ASSERT_EQ(band_host(r, j), whole_host(first + r, j)) << first + r << ", " << j;
        ASSERT_EQ(shared_host(first + r, j), whole_host(first + r, j)) << first + r << ", " << j;
      }
    }
  }
  const Matrix<float, Device> crooked("krossfold::test::crooked", 100, n);
  EXPECT_THROW((kernels::squared_distance_band<Device, double>(Device(), crooked, x_device, 100)), Error);
}

TEST(ExactInFloat, has_its_limit_at_two_to_the_24) {
  EXPECT_TRUE(kernels::exact_in_float(4096, 1));
  EXPECT_FALSE(kernels::exact_in_float(4097, 1));
  EXPECT_TRUE(kernels::exact_in_float(128, 784));
  EXPECT_FALSE(kernels::exact_in_float(255, 784));
}

TEST(SquaredDistanceShapes, that_do_not_fit_are_refused) {
  const Matrix<double, Device> x("krossfold::test::x", 3, 4), y("krossfold::test::y", 5, 6);
  const Matrix<float, Device> d2("krossfold::test::d2", 3, 5);
  EXPECT_THROW((kernels::squared_distance<Device, double>(Device(), d2, x, y)), Error);
}

TEST(SquaredDistanceInParts, ends_before_the_tile_where_a_poll_says_so) {
  const int n = 3 * kernels::distance_tile - 1;
  const auto x = test::random_matrix<float>(n, 3, 50, -9, 9, true);
  const Matrix<const float, Device> points = on_device<Device>(x);
  const auto formed = [&](int stop_at, bool symmetric) {
    const Matrix<float, Device> d2("krossfold::test::d2", n, n);
    Kokkos::deep_copy(d2, -1);
    int polls = 0;
    const auto poll = [&] {
      if (++polls == stop_at) throw Stopped();
    };
    const auto compute = [&] {
      if (symmetric) {
        kernels::squared_distance<Device, float>(Device(), d2, points, kernels::TileShare(), poll);
      } else {
        kernels::squared_distance<Device, float>(Device(), d2, points, points, poll);
      }
    };
    if (stop_at > 0) {
      EXPECT_THROW(compute(), Stopped);
    } else {
      compute();
    }
    Kokkos::fence();
    const auto found = on_host(d2);
    int filled = 0;
    for (int i = 0; i < n; i += kernels::distance_tile) {
      for (int j = 0; j <= (symmetric ? i : n - 1); j += kernels::distance_tile) filled += found(i, j) >= 0 ? 1 : 0;
    }
    return filled;
  };
  for (int tile = 1; tile <= 6; ++tile) EXPECT_EQ(formed(tile, true), tile - 1);
  for (int tile = 1; tile <= 9; ++tile) EXPECT_EQ(formed(tile, false), tile - 1);
  EXPECT_EQ(formed(0, true), 6);
  EXPECT_EQ(formed(0, false), 9);
}

}  // namespace
}  // namespace krossfold
