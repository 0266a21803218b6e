// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Elementary functions for innermost loops. They are inline and free of branches and tables, so they vectorise in
// KROSSFOLD_SIMD loops, where <cmath> functions remain calls. They rely on strict IEEE arithmetic: no -ffast-math.

#include <bit>
#include <cmath>
#include <cstdint>

#include "krossfold/core/kokkos_compat.hpp"

namespace krossfold::math {

/// The exact rounding error a b - product of product = fl(a b).
KOKKOS_INLINE_FUNCTION float product_error(float a, float b, float product) {
#if defined(__FP_FAST_FMAF) || !KROSSFOLD_ON_HOST
  return fmaf(a, b, -product);
#else
  return static_cast<float>(static_cast<double>(a) * static_cast<double>(b) - static_cast<double>(product));
#endif
}

/// e^(x + low) - 1 for |low| <= ulp(x) / 2, even if that is more than 1. The error is below 2 ulp for every float x, and below 0.75 ulp
/// for |x| < ln 2 / 2. Returns -1 for x <= -17.4, infinity for x >= 88.73, NaN for NaN, and x itself (including its sign
/// and denormals) for |x| < 2^-25.
///
/// Range reduction x = k ln 2 + r with |r| <= ln 2 / 2 gives 2^k expm1(r) + (2^k - 1), where expm1(r) = r + r^2 q(r).
/// q is the degree-4 minimax polynomial for the relative error of expm1(r), computed with the Remez algorithm while
/// rounding the coefficients to float one by one (relative error 1.4e-8).
KOKKOS_INLINE_FUNCTION float expm1(float x, float low = 0) {
  // Beyond these bounds the result rounds to -1 or infinity. NaN fails both comparisons and passes through.
  float clamped = x < -20.0f ? -20.0f : x;
  clamped = clamped > 89.0f ? 89.0f : clamped;

  // Adding 1.5 * 2^23 rounds to an integer, which ends up in the low bits of the sum.
  constexpr float round = 12582912.0f;
  const float shifted = clamped * 1.44269504f + round;
  const float k = shifted - round;
  // ln 2 is split in two; the high part has 16 bits, so k times it is exact with and without fused multiply-add.
  const float r = (clamped - k * 0x1.62e4p-1f) - k * 0x1.7f7d1cp-20f;

  float q = 0x1.6ac04ep-10f;
  q = q * r + 0x1.122c38p-7f;
  q = q * r + 0x1.55579ap-5f;
  q = q * r + 0x1.5554aap-3f;
  q = q * r + 0x1.fffffep-2f;
  const float p = (r * r * q + (x < -20.0f ? 0.0f : low)) + r;

  // Compute with 2^(k-1) and double at the end, as 2^128 is not a float. (The bits of `round` are shifted out.)
  const float half = std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) + 126u) << 23);
  const float y = half * p + (half - 0.5f);

  const bool tiny = (std::bit_cast<std::uint32_t>(x) & 0x7fffffffu) < 0x33000000u;  // |x| < 2^-25
  return tiny ? x : y + y;
}

/// e^x in double for x <= 709, below 2 ulp. Returns 0 for x < -708, where the result would be denormal, and NaN for NaN.
///
/// Range reduction x = k ln 2 + r with |r| <= ln 2 / 2, and the Taylor series of e^r, whose 14th term is below 1e-17.
KOKKOS_INLINE_FUNCTION double exp(double x) {
  const double clamped = x < -708.0 ? -708.0 : x;
  constexpr double round = 0x1.8p52;
  const double shifted = clamped * 0x1.71547652b82fep0 + round;
  const double k = shifted - round;
  // ln 2 is split in two; the high part has 32 bits, so k times it is exact.
  const double r = (clamped - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = (r * r * p + r) + 1.0;
  const double power = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023u) << 52);
  return x < -708.0 ? 0.0 : p * power;
}

/// 1 / (1 + e^-x), accurate to 3 ulp unless the result is denormal. Returns NaN for NaN.
KOKKOS_INLINE_FUNCTION float sigmoid(float x) { return 1.0f / (2.0f + expm1(-x)); }

/// tanh(x), accurate to 3 ulp: an odd function, x itself for |x| < 2^-25, +-1 for |x| >= 8.7, NaN for NaN.
KOKKOS_INLINE_FUNCTION float tanh(float x) {
  constexpr std::uint32_t sign = 0x80000000u;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const float t = expm1(-2.0f * std::bit_cast<float>(bits & ~sign));  // -1 < t <= 0
  const float y = -t / (2.0f + t);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(y) | (bits & sign));
}

}  // namespace krossfold::math
