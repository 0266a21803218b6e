// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// The numbers in which the factors of a matrix product are multiplied. The sum of the products is one of single precision.
///
/// With CUDA, cuBLAS rounds the factors of tf32 and bf16 (CUBLAS_COMPUTE_32F_FAST_TF32 and _FAST_16BF), for which cards have units of their
/// own since the A100. Everywhere else they are rounded by rounded() beforehand, which only costs time: to see what it does to a training.
/// With u = 2^-11 for tf32 and 2^-8 for bf16, |C - A B| <= (2 u + u^2) |A| |B|, and the rounding of the sums; twice that where cuBLAS cuts
/// digits off instead of rounding, which its documentation leaves open.
enum class Precision {
  single,  ///< 24 significant bits, all that there are
  tf32,    ///< 11, and all exponents: TensorFloat-32 (NVIDIA A100 Tensor Core GPU Architecture, 2020)
  bf16     ///< 8, and all exponents: bfloat16
};

/// The nearest number of a precision, of two the one with an even last bit. Infinite numbers and NaN stay.
KOKKOS_INLINE_FUNCTION float rounded(float value, Precision precision) {
  if (precision == Precision::single) return value;
  const int dropped = precision == Precision::tf32 ? 13 : 16;
  constexpr std::uint32_t exponent = 0x7F800000u;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & exponent) == exponent) return value;
  bits += (1u << (dropped - 1)) - 1 + (bits >> dropped & 1u);
  return std::bit_cast<float>(bits >> dropped << dropped);
}

}  // namespace krossfold::kernels
