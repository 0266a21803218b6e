// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/math.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "krossfold/core/simd.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// |value - exact| in ulps of the float nearest to `exact`; 0 if `value` is that float.
double ulps(float value, double exact) {
  const auto nearest = static_cast<float>(exact);
  if (nearest == value) return 0;
  const std::uint64_t exponent = std::max((bits_of(nearest) >> 23) & 255, 1u);
  return std::fabs(value - exact) / std::bit_cast<double>((exponent - 150 + 1023) << 52);
}

// The floats whose bit patterns are first, first + step, ...
std::vector<float> patterns(std::uint32_t first, std::uint32_t last, std::uint32_t step) {
  std::vector<float> out;
  for (std::uint64_t bits = first; bits <= last; bits += step)
    out.push_back(float_of(static_cast<std::uint32_t>(bits)));
  return out;
}

TEST(Exp, in_double_is_that_of_the_library_to_two_ulp) {
  double most = 0;
  for (int k = 0; k < 200000; ++k) {
    const double x = -708.0 + 1417.0 * k / 200000 + 1e-7 * (k % 13), right = std::exp(x);
    most = std::max(most, std::abs(math::exp(x) - right) / right);
  }
  for (int k = -300; k < 0; ++k) {
    const double x = -std::exp2(k / 6.0);
    most = std::max(most, std::abs(math::exp(x) - std::exp(x)) / std::exp(x));
  }
  EXPECT_LE(most, 2 * std::numeric_limits<double>::epsilon());
  EXPECT_EQ(math::exp(0.0), 1.0);
  EXPECT_EQ(math::exp(-1e9), 0.0);
  EXPECT_EQ(math::exp(-std::numeric_limits<double>::infinity()), 0.0);
  EXPECT_TRUE(std::isnan(math::exp(std::numeric_limits<double>::quiet_NaN())));
}

struct Expm1 {
  KOKKOS_FUNCTION float operator()(float x) const { return math::expm1(x); }
};
struct Sigmoid {
  KOKKOS_FUNCTION float operator()(float x) const { return math::sigmoid(x); }
};
struct Tanh {
  KOKKOS_FUNCTION float operator()(float x) const { return math::tanh(x); }
};

template <class Function>
struct Blocks {
  Vector<const float, Device> x;
  Vector<float, Device> y;
  static constexpr int block = 4096;
  KOKKOS_FUNCTION void operator()(int b) const {
    const int first = b * block, size = static_cast<int>(x.extent(0)),
              last = first + block < size ? first + block : size;
    KROSSFOLD_SIMD()
    for (int i = first; i < last; ++i) y(i) = Function()(x(i));
  }
};

// Evaluates in a vectorised loop on Device, so that the code under test is what kernels run, not a scalar version.
template <class Function>
std::vector<float> values_of(const std::vector<float>& x) {
  const int n = static_cast<int>(x.size()), block = Blocks<Function>::block;
  Vector<float> host("krossfold::core::test_x", n);
  std::copy(x.begin(), x.end(), host.data());
  const Blocks<Function> blocks{on_device<Device>(host), Vector<float, Device>("krossfold::core::test_y", n)};
  Kokkos::parallel_for("krossfold::core::test_math", Kokkos::RangePolicy<Device>(0, (n + block - 1) / block), blocks);
  const auto y = on_host(blocks.y);
  return {y.data(), y.data() + n};
}

std::vector<float> expm1_of(const std::vector<float>& x) { return values_of<Expm1>(x); }

// The largest error in ulps over `x`; also checks that the result has the sign of x.
double largest_error(const std::vector<float>& x) {
  const std::vector<float> y = expm1_of(x);
  double largest = 0;
  float worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::signbit(y[i]) != std::signbit(x[i])) {
      ADD_FAILURE() << "expm1(" << x[i] << ") = " << y[i];
      return infinity;
    }
    const double error = ulps(y[i], std::expm1(static_cast<double>(x[i])));
    if (!(error <= largest)) {
      largest = error;
      worst = x[i];
    }
  }
  EXPECT_LE(largest, 2) << "at " << std::hexfloat << worst;
  return largest;
}

TEST(Expm1, is_within_2_ulp_over_all_finite_floats) {
  double largest = 0;
  constexpr std::uint32_t step = 97, chunk = step << 20;
  for (const std::uint32_t sign : {0u, 0x80000000u})
    for (std::uint32_t first = 0; first < 0x7f800000u; first += chunk) {
      const std::uint32_t last = std::min(first + chunk, 0x7f800000u) - 1;
      largest = std::max(largest, largest_error(patterns(sign | first, sign | last, step)));
    }
  RecordProperty("largest_error_in_ulp", std::to_string(largest));
}

TEST(Expm1, is_within_2_ulp_around_every_threshold) {
  // Zero, the threshold 2^-25, the points ln 2 (k - 1/2) where the reduction changes k, and the saturation points.
  std::vector<float> places = {0.0f,        0x1p-25f, std::numeric_limits<float>::min(), 88.72283f, 89.0f,
                               -17.328679f, -20.0f};
  for (int k = -29; k <= 129; ++k) places.push_back(static_cast<float>((k - 0.5) * std::log(2.0)));
  for (const float place : places) {
    const std::uint32_t bits = bits_of(std::fabs(place)), first = bits > 1000 ? bits - 1000 : 0;
    const std::uint32_t sign = std::signbit(place) ? bits_of(-0.0f) : 0;
    largest_error(patterns(sign | first, sign | (bits + 1000), 1));
  }
  largest_error(patterns(bits_of(-0.0f), bits_of(-0.0f) + 1000, 1));
}

TEST(Expm1, saturates_at_minus_one_and_infinity) {
  const std::vector<float> low = {-17.4f, -20.0f, -100.0f, -std::numeric_limits<float>::max(), -infinity};
  for (const float y : expm1_of(low)) EXPECT_EQ(y, -1.0f);
  const std::vector<float> high = {88.73f, 89.0f, 100.0f, std::numeric_limits<float>::max(), infinity};
  for (const float y : expm1_of(high)) EXPECT_EQ(y, infinity);
  const float last = 88.72283f;  // the largest x for which e^x is finite
  EXPECT_LT(expm1_of({last})[0], infinity);
}

TEST(Expm1, of_nan_is_nan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float y : expm1_of({nan, -nan, float_of(0x7f800001u), float_of(0xffffffffu)})) EXPECT_TRUE(std::isnan(y));
}

TEST(Expm1, of_a_tiny_number_is_that_number) {
  std::vector<float> x = {0.0f, -0.0f};
  for (int exponent = -149; exponent < -25; ++exponent) {
    x.push_back(std::ldexp(1.0f, exponent));
    x.push_back(-std::ldexp(1.0f, exponent));
  }
  const std::vector<float> y = expm1_of(x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(bits_of(y[i]), bits_of(x[i])) << x[i];
}

TEST(Expm1, never_leaves_the_range_of_a_kernel_matrix) {
  // Non-positive arguments give the shifted kernel values, which lie in [-1, 0].
  for (const float y : expm1_of(patterns(bits_of(-0.0f), bits_of(-infinity), 1009))) {
    ASSERT_GE(y, -1.0f);
    ASSERT_LE(y, 0.0f);
  }
}

TEST(Sigmoid, is_within_3_ulp_where_it_is_normal_and_saturates_beyond) {
  double largest = 0;
  for (const std::uint32_t sign : {0u, 0x80000000u}) {
    const auto x = patterns(sign, sign | bits_of(87.0f), 1013);
    const auto y = values_of<Sigmoid>(x);
    for (std::size_t i = 0; i < x.size(); ++i)
      largest = std::max(largest, ulps(y[i], 1 / (1 + std::exp(-static_cast<double>(x[i])))));
  }
  EXPECT_LE(largest, 3);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto ends = values_of<Sigmoid>({-infinity, -200.0f, 0.0f, 200.0f, infinity, nan});
  EXPECT_EQ(std::vector<float>(ends.begin(), ends.end() - 1), (std::vector<float>{0, 0, 0.5f, 1, 1}));
  EXPECT_TRUE(std::isnan(ends.back()));
}

TEST(Tanh, is_within_3_ulp_over_all_floats_and_odd) {
  double largest = 0;
  const auto x = patterns(0, bits_of(infinity), 1013);
  std::vector<float> minus;
  for (const float v : x) minus.push_back(-v);
  const auto y = values_of<Tanh>(x), of_minus = values_of<Tanh>(minus);
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, ulps(y[i], std::tanh(static_cast<double>(x[i]))));
    ASSERT_EQ(bits_of(of_minus[i]), bits_of(-y[i])) << x[i];
    ASSERT_LE(y[i], 1.0f);
  }
  EXPECT_LE(largest, 3);
  EXPECT_TRUE(std::isnan(values_of<Tanh>({std::numeric_limits<float>::quiet_NaN()})[0]));
}

TEST(Expm1, scalar_calls_and_vectorised_loops_agree) {
  const std::vector<float> x = patterns(bits_of(-1e-6f), bits_of(-30.0f), 9973);
  const std::vector<float> y = expm1_of(x);
  // The compiler may fuse different operations in the two, so not every build gives bitwise identical values.
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(math::expm1(x[i]), y[i], 3e-7f * std::fabs(y[i])) << x[i];
}

}  // namespace
}  // namespace krossfold
