// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Elementary functions for innermost loops: inline, without branches or tables, so that they vectorise in
// KROSSFOLD_SIMD loops, where those of <cmath> stay calls. They rely on IEEE arithmetic as written: no -ffast-math.

#include <bit>
#include <cmath>
#include <cstdint>

#include "krossfold/core/kokkos_compat.hpp"

namespace krossfold::math {

/// a b - product, exactly, where product = a b rounded.
KOKKOS_INLINE_FUNCTION float product_error(float a, float b, float product) {
#if defined(__FP_FAST_FMAF) || !KROSSFOLD_ON_HOST
  return fmaf(a, b, -product);
#else
  return static_cast<float>(static_cast<double>(a) * static_cast<double>(b) - static_cast<double>(product));
#endif
}

/// e^(x + low) - 1, where |low| is at most half an ulp of x: to within 2 ulp for every float x, 0.75 ulp for |x| < ln 2 / 2.
/// -1 from x = -17.4 down, infinity from x = 88.73 up, NaN for NaN, and x itself (its sign and denormals included) where
/// |x| < 2^-25.
///
/// x = k ln 2 + r with |r| <= ln 2 / 2, then 2^k expm1(r) + (2^k - 1), with expm1(r) = r + r^2 q(r). q is the minimax
/// polynomial of degree 4 for the relative error of expm1(r), found by the Remez algorithm with its coefficients
/// rounded to float one after another (relative error 1.4e-8).
KOKKOS_INLINE_FUNCTION float expm1(float x, float low = 0) {
  // Beyond these the result is -1 or infinity by rounding alone. NaN fails both comparisons and passes through.
  float clamped = x < -20.0f ? -20.0f : x;
  clamped = clamped > 89.0f ? 89.0f : clamped;

  // Adding 1.5 * 2^23 rounds to an integer, which stands in the lowest bits of the sum.
  constexpr float round = 12582912.0f;
  const float shifted = clamped * 1.44269504f + round;
  const float k = shifted - round;
  // ln 2 in two parts; the first has 16 bits, so that k times it is exact with and without fused multiply-add.
  const float r = (clamped - k * 0x1.62e4p-1f) - k * 0x1.7f7d1cp-20f;

  float q = 0x1.6ac04ep-10f;
  q = q * r + 0x1.122c38p-7f;
  q = q * r + 0x1.55579ap-5f;
  q = q * r + 0x1.5554aap-3f;
  q = q * r + 0x1.fffffep-2f;
  const float p = (r * r * q + low) + r;

  // 2^(k-1), doubled at the end: 2^k itself is no float for k = 128. (The bits of `round` leave by the shift.)
  const float half = std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) + 126u) << 23);
  const float y = half * p + (half - 0.5f);

  const bool tiny = (std::bit_cast<std::uint32_t>(x) & 0x7fffffffu) < 0x33000000u;  // |x| < 2^-25
  return tiny ? x : y + y;
}

/// 1 / (1 + e^-x), to within 3 ulp where it is no denormal. NaN for NaN.
KOKKOS_INLINE_FUNCTION float sigmoid(float x) { return 1.0f / (2.0f + expm1(-x)); }

/// The hyperbolic tangent, to within 3 ulp: odd, x itself where |x| < 2^-25, +-1 from |x| = 8.7 on. NaN for NaN.
KOKKOS_INLINE_FUNCTION float tanh(float x) {
  constexpr std::uint32_t sign = 0x80000000u;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const float t = expm1(-2.0f * std::bit_cast<float>(bits & ~sign));  // -1 < t <= 0
  const float y = -t / (2.0f + t);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(y) | (bits & sign));
}

}  // namespace krossfold::math
