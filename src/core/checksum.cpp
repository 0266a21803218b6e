// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/checksum.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace krossfold {
namespace {

static_assert(std::endian::native == std::endian::little, "eight bytes at a time are read as a little-endian word");

// tables[k][b]: the remainder of byte b followed by k zero bytes ("slicing by 8", M. E. Kounavis and F. L. Berry,
// A Systematic Approach to Building High Performance Software-Based CRC Generators, ISCC 2005).
template <class Crc>
using Tables = std::array<std::array<Crc, 256>, 8>;

template <class Crc>
constexpr Tables<Crc> make_tables(Crc reflected_polynomial) {
  Tables<Crc> tables{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    Crc crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? reflected_polynomial : 0);
    tables[0][byte] = crc;
  }
  for (int k = 1; k < 8; ++k)
    for (unsigned byte = 0; byte < 256; ++byte) {
      const Crc previous = tables[k - 1][byte];
      tables[k][byte] = (previous >> 8) ^ tables[0][previous & 0xff];
    }
  return tables;
}

constexpr auto crc32c_tables = make_tables<std::uint32_t>(0x82f63b78u);
constexpr auto crc64_tables = make_tables<std::uint64_t>(0xc96c5795d7870f42u);

template <class Crc>
Crc checksum(const Tables<Crc>& tables, std::span<const std::byte> bytes, Crc start) {
  Crc crc = ~start;
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    word ^= crc;
    crc = 0;
    for (int k = 0; k < 8; ++k) crc ^= tables[7 - k][(word >> (8 * k)) & 0xff];
  }
  for (; left > 0; --left, ++at) crc = (crc >> 8) ^ tables[0][(crc ^ std::to_integer<Crc>(*at)) & 0xff];
  return ~crc;
}

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t start) {
  return checksum(crc32c_tables, bytes, start);
}

std::uint64_t crc64(std::span<const std::byte> bytes, std::uint64_t start) {
  return checksum(crc64_tables, bytes, start);
}

}  // namespace krossfold
