// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "krossfold/tables/numpy_files.hpp"

namespace krossfold::tables {

/// Element number `at` in the order of the file.
template <class T>
T element(const NumpyArray& array, std::size_t at) {
  std::array<std::byte, sizeof(T)> bytes{};
  std::memcpy(bytes.data(), array.elements.data() + at * sizeof(T), sizeof(T));
  if (array.big_endian) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

/// Calls `action` with a value of the elements' type, of which only the type is meant.
template <class Action>
auto with_type(const NumpyArray& array, const Action& action) {
  const std::size_t bytes = array.bytes;
  switch (array.kind) {
    case 'f':
      return bytes == 4 ? action(float{}) : action(double{});
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

/// Element `at` as text, which names a class or a group; strings lose the zeros at their end, as in NumPy.
std::string word_at(const NumpyArray& array, std::size_t at, const std::string& where);

}  // namespace krossfold::tables
