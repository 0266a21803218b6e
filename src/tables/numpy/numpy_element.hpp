// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "krossfold/tables/numpy_files.hpp"

namespace krossfold::tables {

/// A number in half precision, IEEE 754 binary16, which single precision holds exactly.
inline float single_from_half(std::uint16_t half) {
  const int exponent = half >> 10 & 0x1F, fraction = half & 0x3FF;
  const float size = exponent == 0x1F ? (fraction == 0 ? std::numeric_limits<float>::infinity()
                                                       : std::numeric_limits<float>::quiet_NaN())
                     : exponent == 0  ? std::ldexp(static_cast<float>(fraction), -24)
                                      : std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
  return (half & 0x8000) != 0 ? -size : size;
}

/// Element number `at` in the order of the file; numbers in half precision are float.
template <class T>
T element(const NumpyArray& array, std::size_t at) {
  if constexpr (std::is_same_v<T, float>) {
    if (array.bytes == 2) return single_from_half(element<std::uint16_t>(array, at));
  }
  std::array<std::byte, sizeof(T)> bytes{};
  std::memcpy(bytes.data(), array.elements.data() + at * sizeof(T), sizeof(T));
  if (array.big_endian) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

/// Whether element `at` counts as missing though it is not NaN.
inline bool is_absent(const NumpyArray& array, std::size_t at) {
  return !array.absent.empty() && array.absent[at] != 0;
}

/// Calls `action` with a value of the elements' type, of which only the type is meant.
template <class Action>
auto with_type(const NumpyArray& array, const Action& action) {
  const std::size_t bytes = array.bytes;
  switch (array.kind) {
    case 'f':
      return bytes == 8 ? action(double{}) : action(float{});
    case 'i':
      return bytes == 1   ? action(std::int8_t{})
             : bytes == 2 ? action(std::int16_t{})
             : bytes == 4 ? action(std::int32_t{})
                          : action(std::int64_t{});
    default:
      return bytes == 1   ? action(std::uint8_t{})
             : bytes == 2 ? action(std::uint16_t{})
             : bytes == 4 ? action(std::uint32_t{})
                          : action(std::uint64_t{});
  }
}

/// Element `at` as text, which names a class or a group, "" if it is missing; strings lose the zeros at their end, as in NumPy.
std::string word_at(const NumpyArray& array, std::size_t at, const std::string& where);

}  // namespace krossfold::tables
